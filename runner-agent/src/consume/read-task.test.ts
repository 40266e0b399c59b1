import { expect, test } from 'vitest';
import { filesWithin, readTask } from './read-task.ts';

const id = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const setting = {
  suiteName: 'Support',
  suitePath: 'evals/support.suite.yaml',
  variant: 'head',
  cellKey: '',
  agent: {
    name: 'Desk',
    instructions: 'Help.',
    driver: { type: 'scripted', replies: [{ reply: '9' }] },
    ai_configuration: null,
  },
  model: null,
  instrument: { judge: null, embedding: null, simulator: null, evaluations: null, mocks: [], mockSettings: {} },
  limits: { caseTimeoutMs: 1, agentTimeoutMs: 1, maxTurns: 1 },
};
const asked = {
  case: {
    name: 'Hours',
    kind: 'single',
    input: 'When?',
    expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['9'] }] },
  },
  resolvedVariables: { values: {}, sources: {} },
};
const testRun = { at: 0, testRunId: id, setting: 0, case: 0, repetition: 1, seed: '0123456789abcdef' };
const task = {
  ...{ v: 1, kind: 'task', tenantId: id, runId: id, chunkId: id, publishGen: 0 },
  ...{ settings: [setting], cases: [asked], turns: [[testRun]] },
};

const read = (value: unknown) => readTask(new TextEncoder().encode(JSON.stringify(value)));

test('a task of our version is read', () => {
  expect(read(task)).toMatchObject({ kind: 'task', task: { cases: [{ case: { name: 'Hours' } }] } });
});

test('what a newer coordinator says around the work is overlooked', () => {
  const then = { ...task, priority: 3, turns: [[{ ...testRun, hint: 'warm' }]] };
  expect(read(then)).toEqual({ ...read(task), kind: 'task' });
});

test.each([
  ['a key', { ...asked, patience: 'high' }],
  ['a key of its variables', { ...asked, resolvedVariables: { values: {}, sources: {}, patience: {} } }],
  ['a key of the case', { ...asked, case: { ...asked.case, expected_mood: 'calm' } }],
  ['a type of check', { ...asked, case: { ...asked.case, expected_behavior: { checks: [{ type: 'rhymes' }] } } }],
])('work with %s that this runner does not know is left to a newer one', (_what, unknown) => {
  const answer = read({ ...task, cases: [unknown] });
  expect(answer).toMatchObject({ kind: 'later', reason: expect.stringMatching(/patience|expected_mood|type/) });
});

test('an agent is never asked for want of knowing that its answer is recorded already', () => {
  const recorded = { testRunId: id, testInput: 'When?', surprise: 'a runner that does not know this key' };
  const answer = read({ ...task, cases: [{ ...asked, recorded }] });
  expect(answer).toMatchObject({ kind: 'later' });
});

test('a task of a newer version is left to a newer runner', () => {
  expect(read({ v: 2, anything: true })).toEqual({ kind: 'later', reason: 'version 2' });
});

test.each([
  ['no JSON', '{'],
  ['too deep', '['.repeat(100) + ']'.repeat(100)],
  ['no task', '{"v":1}'],
  ['a task without its run', JSON.stringify({ ...task, runId: 'x' })],
])('%s is for nobody', (_what, text) => {
  expect(readTask(new TextEncoder().encode(text))).toMatchObject({ kind: 'never' });
});

const file = (url: string) => ({ path: 'a.txt', sha256: 'a'.repeat(64), url });
const own = file('https://proofmark.example.com/blobs/a?signature=1');

test.each([
  'http://proofmark.example.com/blobs/a',
  'https://proofmark.example.com:8443/blobs/a',
  'https://proofmark.example.com.evil.example/blobs/a',
  'https://proofmark.example.com@evil.example/blobs/a',
  'http://169.254.169.254/latest/meta-data',
])('a file at %s is none that the coordinator may hand out (S1)', (url) => {
  expect(filesWithin('https://proofmark.example.com', [own, file(url)])).toEqual([own]);
});

test('without an origin from the handshake nothing is fetched', () => {
  expect(filesWithin(undefined, [own])).toEqual([]);
});
