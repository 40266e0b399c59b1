import { expect, test } from 'vitest';
import { countedTime, resultsFolder, runStory } from './ab-world.fixture.ts';

const settings = { warm_up: true, cache_reset_ms: 0 };

test('S3-06 each side answers once before the first question, and that counts nowhere', async () => {
  await using folder = await resultsFolder();
  const { calls, comparison } = await runStory({
    questions: ['One', 'Two'],
    settings,
    store: folder.store,
    time: countedTime(),
    // The first call of a process is slower than all others.
    turn: (_, earlier) => ({ delayMs: earlier === 0 ? 160 : 20 }),
  });
  expect(calls.map(({ model, question }) => `${model} ${question}`).toSorted()).toEqual([
    ...['alpha Hello', 'alpha One?', 'alpha Two?', 'beta Hello', 'beta One?', 'beta Two?'],
  ]);
  expect(calls.slice(0, 2).map(({ question }) => question)).toEqual(['Hello', 'Hello']);
  expect(comparison.results.flatMap(({ baseline, candidate }) => [baseline.latency_ms, candidate.latency_ms])).toEqual(
    Array(4).fill(20),
  );
  expect((await folder.store.loadStats('s-1')).total_invocations).toBe(4);
});

test('a warm-up that fails is tried once, and the questions are asked all the same', async () => {
  const { calls, comparison } = await runStory({
    settings,
    turn: (_, earlier) => (earlier === 0 ? { fails: 'not yet loaded' } : {}),
  });
  expect(calls.filter(({ question }) => question === 'Hello')).toHaveLength(2);
  expect(comparison.results[0]).toMatchObject({
    baseline: { error: null, retry_count: 0 },
    candidate: { error: null },
  });
});

test('nothing is warmed up for an interrupted comparison that has no question left', async () => {
  const controller = new AbortController();
  controller.abort();
  const { calls } = await runStory({ settings, signal: controller.signal });
  expect(calls).toEqual([]);
});
