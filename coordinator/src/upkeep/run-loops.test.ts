import pino from 'pino';
import { expect, test } from 'vitest';
import { type Loop, runLoops } from './run-loops.ts';

const options = { log: pino({ level: 'silent' }), random: () => 0.5, onPass: () => undefined };
const never = 1_000_000;

/** A loop whose passes a test can wait for. */
function observed(every: Loop['every'], result: () => Record<string, number> = () => ({})) {
  let passes = 0;
  let waiting: { count: number; resolve: () => void }[] = [];
  const loop: Loop = {
    name: 'observed',
    every,
    run: async () => {
      passes++;
      const counts = result();
      waiting = waiting.filter(({ count, resolve }) => count > passes || resolve());
      return counts;
    },
  };
  const reached = (count: number) =>
    new Promise<void>((resolve) => (passes >= count ? resolve() : waiting.push({ count, resolve })));
  return { loop, reached, passes: () => passes };
}

test('a loop runs at once and again after its rest', async () => {
  const { loop, reached } = observed(1);
  await using _ = runLoops([loop], options);
  await reached(3);
});

test('a wake ends the rest, also one that comes during a pass', async () => {
  const { loop, reached } = observed(never);
  await using loops = runLoops([loop], options);
  loops.wake('observed');
  await reached(2);
  loops.wake('observed');
  await reached(3);
});

test('a pass that fails is repeated, and the state says so until one succeeds', async () => {
  let isBroken = true;
  const { loop, reached } = observed(1, () => {
    if (isBroken) throw new Error('no ledger');
    return {};
  });
  const passed = Promise.withResolvers<void>();
  await using loops = runLoops([loop], { ...options, onPass: (_, { counts }) => counts && passed.resolve() });
  await reached(0);
  await expect.poll(() => loops.states()[0]).toMatchObject({ isFailing: true, lastRunMs: null });
  isBroken = false;
  await passed.promise;
  await expect.poll(() => loops.states()[0]?.isFailing).toBe(false);
});

test('the rest may depend on what a pass found', async () => {
  const { loop, reached } = observed(
    ({ found = 0 }) => (found > 0 ? 1 : never),
    () => ({ found: 1 }),
  );
  await using _ = runLoops([loop], options);
  await reached(3);
});

test('stopping waits for the pass that is running', async () => {
  const inside = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isDone = false;
  const slow: Loop = {
    name: 'slow',
    every: never,
    run: async () => {
      inside.resolve();
      await gate.promise;
      isDone = true;
      return {};
    },
  };
  const loops = runLoops([slow], options);
  await inside.promise;
  const stopped = loops.stop();
  gate.resolve();
  await stopped;
  expect(isDone).toBe(true);
});
