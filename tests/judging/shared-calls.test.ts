import { expect, test } from 'vitest';
import { runInProcess } from '../flows/run-in-process.ts';
import { startModelServer } from '../stack/model-server.ts';
import { hoursRules, hoursSuite } from './shop-hours.ts';

test('equal answers of a run are judged once, and their embeddings share requests', async () => {
  await using server = await startModelServer({ rules: hoursRules });
  const ended = await runInProcess(hoursSuite({ url: server.url, repetitions: 25 }), {});
  expect(ended.map(({ outcome }) => outcome.status)).toEqual(Array.from({ length: 50 }, () => 'passed'));
  const judged = server.requests.filter(({ path }) => path.endsWith('/chat/completions'));
  const embedded = server.requests.filter(({ path }) => path.endsWith('/embeddings'));
  // Two different answers: one judgement and one rating each, though there are fifty test runs.
  expect(judged).toHaveLength(4);
  // Two different texts: one of the answers is what is expected.
  expect(embedded.flatMap(({ user }) => user.split('\n')).sort()).toEqual(['From 9 to 12.', 'From 9 to 17.']);
  // What was not called costs nothing, and what was is told once.
  const calls = ended.flatMap(({ outcome }) => outcome.measuring ?? []);
  expect(calls.filter(({ role }) => role === 'judge').reduce((sum, spent) => sum + spent.calls, 0)).toBe(4);
  expect(calls.filter(({ role }) => role === 'embedding').reduce((sum, spent) => sum + spent.calls, 0)).toBe(
    embedded.length,
  );
});
