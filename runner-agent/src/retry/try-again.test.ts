import { describe, expect, test } from 'vitest';
import { finalFailure } from './call-failure.ts';
import { type Tried, type Tries, tryAgain } from './try-again.ts';

const busy = { kind: 'agent' as const, message: 'busy', retryable: true, retryAfterMs: null };
type Attempt = { takesMs: number } & Awaited<ReturnType<Tries<string>['attempt']>>;
const fails = (takesMs: number, failure: object = {}): Attempt => ({
  takesMs,
  ok: false,
  failure: { ...busy, ...failure },
});
const answers = (takesMs: number): Attempt => ({ takesMs, ok: true, value: 'At 9' });

/** Tries of known length on a clock that only they and the pauses move. */
async function run(attempts: Attempt[], options: Partial<Tries<string>> & { remainingMs?: number } = {}) {
  let nowMs = 1_000_000;
  const pauses: number[] = [];
  const told: unknown[] = [];
  const tried: Tried<string> = await tryAgain(
    {
      clock: { monotonicMs: () => nowMs },
      random: () => 0,
      pause: async (ms) => {
        pauses.push(ms);
        nowMs += ms;
      },
    },
    {
      ...{ tries: 3, timeoutMs: 30_000, signal: new AbortController().signal },
      deadlineAtMs: nowMs + (options.remainingMs ?? 120_000),
      onTry: ({ retriesDone, failure }) => told.push([retriesDone, failure?.kind ?? null]),
      attempt: async () => {
        const { takesMs, ...result } = attempts.shift() ?? answers(0);
        nowMs += takesMs;
        return result;
      },
      ...options,
    },
  );
  return { tried, pauses, told, left: attempts.length };
}

test('the latency is that of the try that succeeded, on the monotonic clock: neither other tries nor pauses count (S3-53)', async () => {
  const { tried, pauses, told } = await run([fails(1_000), fails(2_000), answers(12.5)]);
  expect(tried).toEqual({ ok: true, value: 'At 9', latencyMs: 12.5, retryCount: 2 });
  expect(pauses).toEqual([100, 200]);
  expect(told).toEqual([
    [0, 'agent'],
    [1, 'agent'],
    [2, null],
  ]);
});

test('three tries are all, and there is no pause after the last (S3-62, S3-68, S3-70)', async () => {
  const { tried, pauses, left } = await run([fails(1), fails(1), fails(1, { message: 'still busy' }), answers(1)]);
  expect(tried).toMatchObject({
    ok: false,
    retryCount: 2,
    failure: { message: 'Failed after 3 attempts: still busy' },
  });
  expect(pauses).toHaveLength(2);
  expect(left).toBe(1);
});

test.each([
  ['cannot change', [{ ...fails(1), failure: finalFailure('agent', 'busy') }], {}],
  ['has done what must not be done again', [fails(1)], { isFinal: () => true }],
])('what %s is not tried again and keeps its message', async (_, attempts: Attempt[], options) => {
  const { tried, pauses } = await run(attempts, options);
  expect(tried).toMatchObject({ ok: false, retryCount: 0, failure: { message: 'busy' } });
  expect(pauses).toEqual([]);
});

test('a pause that the provider asks for is made as long as it asks, and not at all behind the deadline', async () => {
  expect((await run([fails(1, { retryAfterMs: 7_000 }), answers(1)])).pauses).toEqual([7_000]);
  const late = await run([fails(1, { retryAfterMs: 7_000 })], { remainingMs: 7_000 });
  expect(late.pauses).toEqual([]);
  expect(late.tried).toMatchObject({ failure: { message: 'The provider asks to wait 7 s: busy' } });
});

describe('a try that takes too long', () => {
  const hanging: Tries<string>['attempt'] = (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  test('is ended and is a failed one (S3-65, S3-69)', async () => {
    const { tried } = await run([], { attempt: hanging, timeoutMs: 10 });
    expect(tried).toMatchObject({
      ok: false,
      retryCount: 2,
      failure: { kind: 'timeout', message: 'Failed after 3 attempts: Timeout after 10ms' },
    });
  });

  test('is not one when everything is aborted: then the reason of that is thrown', async () => {
    const stop = new AbortController();
    const trying = run([], { attempt: hanging, signal: stop.signal });
    stop.abort(new Error('cancelled'));
    await expect(trying).rejects.toThrow('cancelled');
  });
});
