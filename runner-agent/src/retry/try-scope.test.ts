import { expect, test } from 'vitest';
import type { CallFailure } from './call-failure.ts';
import { type Tries, tryAgain } from './try-again.ts';
import { type TrySignal, waitAside } from './try-scope.ts';

const signal = new AbortController().signal;
const busy: CallFailure = { kind: 'agent', message: 'busy', retryable: true, retryAfterMs: null };

/** A clock that only `takes` moves, and the pauses between tries. */
function story() {
  let nowMs = 0;
  const pauses: number[] = [];
  const ports = {
    clock: { monotonicMs: () => nowMs },
    random: () => 0.5,
    pause: async (ms: number) => {
      pauses.push(ms);
      nowMs += ms;
    },
  };
  const takes = (ms: number): void => {
    nowMs += ms;
  };
  const tries = (attempt: Tries<string>['attempt'], options: Partial<Tries<string>> = {}) =>
    tryAgain<string>(ports, { tries: 3, timeoutMs: 30_000, signal, deadlineAtMs: 120_000, attempt, ...options });
  return { pauses, takes, tries };
}

test('evaluation 10: latency is that of the successful try, without pauses and without waiting for permits', async () => {
  const { tries, takes, pauses } = story();
  let asked = 0;
  const tried = await tries(async (trySignal) => {
    asked += 1;
    await waitAside(trySignal, async () => takes(20_000));
    takes(40);
    await waitAside(trySignal, async () => takes(7_000));
    takes(2);
    return asked === 1 ? { ok: false, failure: busy } : { ok: true, value: 'At nine.' };
  });
  expect(tried).toEqual({ ok: true, value: 'At nine.', latencyMs: 42, retryCount: 1 });
  // A fifth of jitter at most: half of it here.
  expect(pauses.map(Math.round)).toEqual([110]);
});

test('S3-06 opening a connection is no latency, and is time of the try all the same', async () => {
  const { tries, takes } = story();
  const tried = await tries(async (trySignal) => {
    takes(300);
    trySignal.opened?.(300);
    takes(40);
    return { ok: true, value: 'At nine.' };
  });
  expect(tried).toMatchObject({ latencyMs: 40 });
});

test('a try whose own time is over ends, although it has waited in between', async () => {
  const { tries } = story();
  const hangs = (trySignal: TrySignal): Promise<never> =>
    new Promise((_, reject) => trySignal.addEventListener('abort', () => reject(trySignal.reason)));
  const tried = await tries(
    async (trySignal) => {
      await waitAside(trySignal, () => new Promise((resolve) => setTimeout(resolve, 20)));
      return await hangs(trySignal);
    },
    { timeoutMs: 5, tries: 1 },
  );
  expect(tried).toMatchObject({
    ok: false,
    failure: { kind: 'timeout', message: 'Failed after 1 attempt: Timeout after 5ms' },
  });
});

test('a call that was not made is no try, is not told as one, and is not tried again', async () => {
  const { tries, pauses } = story();
  const told: unknown[] = [];
  const failure: CallFailure = { ...busy, isNotAsked: true };
  const tried = await tries(async () => ({ ok: false, failure }), { onTry: (one) => told.push(one) });
  expect(tried).toEqual({ ok: false, failure, retryCount: 0 });
  expect([told, pauses]).toEqual([[], []]);
});

test('a try knows how long the case still has', async () => {
  const { tries, takes } = story();
  let leftMs: number | undefined;
  await tries(async (trySignal) => {
    takes(20_000);
    leftMs = trySignal.remainingMs?.();
    return { ok: true, value: '' };
  });
  expect(leftMs).toBe(100_000);
});
