import { expect, test } from 'vitest';
import { aCase } from '../case/a-case.fixture.ts';
import { type CaseState, startState } from '../case/case-state.ts';
import { metricSubject } from './metric-subject.ts';

const call = (name: string, result: CaseState['toolCalls'][number]['result']): CaseState['toolCalls'][number] => ({
  ...{ id: name, name, args: {}, argsError: null, result, error: null, source: 'mock', turn: 0, durationMs: 1 },
});
const file = (markdown_content: string): CaseState['files'][number] => ({
  original: { path: 'a.txt', type: 'text' },
  ...{ markdown_content, metadata: {}, cached_path: null, processing_time_ms: 1, error: null },
});

function subjectOf(state: Partial<CaseState>, work = aCase()) {
  return metricSubject({ ...startState(work), ...state }, { work, response: 'yes', costUsd: null });
}

test('the context is the files and then what tools returned, in the order of the calls', () => {
  const { context } = subjectOf({ files: [file('# Hours')], toolCalls: [call('a', 'one'), call('b', { two: 2 })] });
  expect(context).toBe('# Hours\n\none\n\n{"two":2}');
});

test('chunks are the elements that retrieval tools returned', () => {
  const work = aCase({ agent: { tools: [{ name: 'search', retrieval: true }, { name: 'refund' }] } });
  const toolCalls = [call('search', ['a', { b: 1 }]), call('refund', 'done'), call('search', 'c')];
  expect(subjectOf({ toolCalls }, work).chunks).toEqual(['a', '{"b":1}', 'c']);
});

test('without retrieval tools the pieces of the context are the chunks', () => {
  expect(subjectOf({ files: [file('text')], toolCalls: [call('a', 'one')] }).chunks).toEqual(['text', 'one']);
});

test('the query of a simulated conversation is everything before the last answer', () => {
  const work = aCase({ case: { kind: 'simulated', input: null, initial_message: 'Hello' } });
  const transcript = [
    { role: 'user' as const, text: 'Hello' },
    { role: 'agent' as const, text: 'Hi' },
    { role: 'user' as const, text: 'Refund?' },
    { role: 'agent' as const, text: 'yes' },
  ];
  expect(subjectOf({ transcript }, work).query).toBe('user: Hello\n\nagent: Hi\n\nuser: Refund?');
});
