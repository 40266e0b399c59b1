import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { compareOutcomes } from './compare-outcomes.ts';

const call = (args: object) => ({
  id: 'c',
  name: 'get_hours',
  args,
  result: {},
  source: 'mock',
  turn: 0,
  durationMs: 1,
});
const check = (passed: boolean) => ({
  checkIndex: 0,
  checkType: 'contains_phrases',
  status: passed ? 'pass' : 'fail',
  passed,
  details: {},
  error: null,
});

function outcome(changes: object = {}): CaseOutcome {
  return CaseOutcome.parse({
    ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'When?', response: 'from 9 to 17' },
    ...{ executionTimeMs: 5, startedAt: '2025-11-01T00:00:00.000Z' },
    checks: [check(true)],
    toolCalls: [call({ day: 'monday', week: 2 })],
    usage: { promptTokens: 10, completionTokens: 5 },
    latencyMs: 12,
    ...changes,
  });
}

test('a repeat with other times, tokens and order of arguments is the same', () => {
  const again = outcome({
    toolCalls: [call({ week: 2, day: 'monday' })],
    usage: { promptTokens: 10, completionTokens: 9 },
    latencyMs: 400,
  });
  const difference = compareOutcomes(outcome(), again);
  expect(difference.isSame).toBe(true);
  expect(difference.tokens).toEqual({ before: 15, after: 19 });
  expect(difference.latencyMs).toEqual({ before: 12, after: 400 });
});

test.each([
  ['another answer', { response: 'from 9 to 16' }],
  ['another verdict of a check', { checks: [check(false)], status: 'failed' }],
  ['a check that is not there any more', { checks: [] }],
  ['another argument of a tool', { toolCalls: [call({ day: 'tuesday', week: 2 })] }],
  ['no call of a tool', { toolCalls: [] }],
  ['an error', { status: 'error', errorKind: 'agent', errorMessage: 'down', response: null }],
])('%s is a difference', (_what, changes) => {
  expect(compareOutcomes(outcome(), outcome(changes)).isSame).toBe(false);
});

test('metrics, outcomes and expected tools are judged by name, and one that is missing on a side is null there', () => {
  const before = outcome({
    metrics: [{ metric_name: 'f1', score: 0.5, threshold: 0.4, passed: true, evaluation_time_ms: 1 }],
    tools: { matched: true, problems: [] },
  });
  expect(compareOutcomes(before, outcome()).judged).toEqual([
    { name: 'check 1 contains_phrases', before: 'pass', after: 'pass' },
    { name: 'expected tools', before: 'pass', after: null },
    { name: 'metric f1', before: 'pass (0.50)', after: null },
  ]);
});
