import { expect, test } from 'vitest';
import { readResultMessage } from './read-result-message.ts';

const runId = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const subject = `pm.res.runner-1.${runId}`;
const outcome = {
  status: 'passed',
  errorKind: null,
  errorMessage: null,
  testInput: 'Hi',
  response: 'Hello',
  executionTimeMs: 1,
  startedAt: '2026-01-31T12:00:00.000Z',
};
const message = {
  v: 1,
  kind: 'results',
  tenantId: runId,
  runId,
  sessionId: runId,
  results: [{ chunkId: runId, at: 0, attempt: 1, outcome }],
};
const read = (value: unknown, of = subject) =>
  readResultMessage(of, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

test('a message of our version comes with the runner that its subject names', () => {
  expect(read(message)).toMatchObject({ kind: 'results', runnerId: 'runner-1', message: { runId } });
});

test('a message of a newer version waits for a newer coordinator', () => {
  expect(read({ ...message, v: 2, somethingNew: true })).toEqual({ kind: 'later' });
});

test.each([
  ['', 'not JSON'],
  ['{', 'not JSON'],
  ['['.repeat(81) + ']'.repeat(81), 'nested too deeply'],
])('%s is refused for ever', (text, reason) => {
  expect(read(text)).toEqual({ kind: 'never', reason });
});

test('fields that arrive by __proto__ are no fields', () => {
  expect(read(`{"v":1,"kind":"results","__proto__":${JSON.stringify(message)}}`)).toMatchObject({ kind: 'never' });
});

test('a message under the subject of another run is refused', () => {
  expect(read(message, 'pm.res.runner-1.00000000-0000-4000-8000-000000000000')).toEqual({
    kind: 'never',
    reason: 'the subject names another run',
  });
});

test('arguments as deep as a model may write them are read', () => {
  const args = JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`);
  const call = { id: 'c', name: 'get', args, result: null, source: 'none', turn: 0, durationMs: 1 };
  const results = message.results.map((result) => ({ ...result, outcome: { ...outcome, toolCalls: [call] } }));
  expect(read({ ...message, results })).toMatchObject({ kind: 'results' });
});

test('a result of the wrong shape leaves an error for its test run', () => {
  const results = message.results.map((result) => ({ ...result, outcome: { status: 'splendid' } }));
  expect(read({ ...message, results })).toMatchObject({
    kind: 'never',
    instead: { runnerId: 'runner-1', message: { results: [{ attempt: 1, outcome: { errorKind: 'lost' } }] } },
  });
});
