import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  classifyFailure,
  decideRetry,
  defaultRetryPolicy,
  doubledPauseMs,
  parseRetryAfter,
  type RetryPolicy,
  retryDelayMs,
  timeoutMessage,
} from './retry-policy.ts';

const broken = { message: 'boom', retryable: true, retryAfterMs: null };

/** The pauses of a policy without jitter, until it gives up. */
function retryDelaysMs(policy: RetryPolicy): number[] {
  const waitsMs: number[] = [];
  for (;;) {
    const failed = { message: 'busy', retryable: true, retryAfterMs: null };
    const next = decideRetry(policy, failed, { retriesDone: waitsMs.length, random: 0 });
    if (!next.retry) return waitsMs;
    waitsMs.push(next.waitMs);
  }
}

test('S3-62 S3-63 S3-64 S3-66 S3-67 C23 three attempts have two pauses in ms, the 400 ms come from the fourth on (C29)', () => {
  expect(defaultRetryPolicy).toMatchObject({ maxAttempts: 3, initialDelayMs: 100, backoffFactor: 2 });
  expect(retryDelaysMs(defaultRetryPolicy)).toEqual([100, 200]);
  expect(retryDelaysMs({ ...defaultRetryPolicy, maxAttempts: 5 })).toEqual([100, 200, 400, 800]);
  expect(retryDelaysMs({ ...defaultRetryPolicy, maxAttempts: 1 })).toEqual([]);
});

test('jitter adds at most a fifth to a pause', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.double({ min: 0, max: 0.999, noNaN: true }), (retriesDone, random) => {
      const base = 100 * 2 ** retriesDone;
      const delay = retryDelayMs(defaultRetryPolicy, retriesDone, random);
      expect(delay).toBeGreaterThanOrEqual(base);
      expect(delay).toBeLessThan(base * 1.2);
    }),
  );
});

test('S3-68 S3-70 after the last attempt nothing is waited for and the error names the attempts', () => {
  expect(decideRetry(defaultRetryPolicy, broken, { retriesDone: 1, random: 0 })).toEqual({ retry: true, waitMs: 200 });
  expect(decideRetry(defaultRetryPolicy, broken, { retriesDone: 2, random: 0 })).toEqual({
    retry: false,
    message: 'Failed after 3 attempts: boom',
  });
  expect(timeoutMessage(defaultRetryPolicy)).toBe('Timeout after 30000ms');
});

test('what cannot change is not tried again and keeps its own message', () => {
  const failed = { ...broken, retryable: false };
  expect(decideRetry(defaultRetryPolicy, failed, { retriesDone: 0, random: 0 })).toEqual({
    retry: false,
    message: 'boom',
  });
});

test("the provider's pause beats ours unless it is too long to wait for", () => {
  const asks = (retryAfterMs: number, remainingMs?: number) =>
    decideRetry(
      defaultRetryPolicy,
      { ...broken, retryAfterMs },
      { retriesDone: 0, random: 0.5, ...(remainingMs === undefined ? {} : { remainingMs }) },
    );
  expect(asks(60_000)).toEqual({ retry: true, waitMs: 60_000 });
  expect(asks(60_001)).toEqual({ retry: false, message: 'The provider asks to wait 61 s: boom' });
  expect(asks(5000, 4000)).toEqual({ retry: false, message: 'The provider asks to wait 5 s: boom' });
  expect(asks(0)).toEqual({ retry: true, waitMs: 0 });
});

test('busy and broken providers are transient, keys and quotas refused, everything else final', () => {
  const classes = (statuses: number[], code: string | null = null) =>
    statuses.map((status) => classifyFailure({ status, code }));
  expect(new Set(classes([408, 409, 425, 429, 500, 502, 503, 504, 529]))).toEqual(new Set(['transient']));
  expect(new Set(classes([401, 402, 403]))).toEqual(new Set(['refused']));
  expect(new Set(classes([400, 404, 413, 422]))).toEqual(new Set(['final']));
  expect(classes([429], 'insufficient_quota')).toEqual(['refused']);
  expect(classes([400, 500], 'context_length_exceeded')).toEqual(['final', 'final']);
  expect(classifyFailure({ status: null, code: 'ECONNRESET' })).toBe('transient');
  expect(classifyFailure({ status: null, code: null })).toBe('transient');
});

test('Retry-After is read as seconds, date or milliseconds, and ignored as junk', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0);
  const seconds = (retryAfter: string | null) => parseRetryAfter({ retryAfter, retryAfterMs: null }, nowMs);
  expect(seconds('2')).toBe(2000);
  expect(seconds(' 1.5 ')).toBe(1500);
  expect(seconds('Thu, 01 Jan 2026 12:00:07 GMT')).toBe(7000);
  expect(parseRetryAfter({ retryAfter: '2', retryAfterMs: '350' }, nowMs)).toBe(350);
  expect(parseRetryAfter({ retryAfter: '2', retryAfterMs: 'soon' }, nowMs)).toBe(2000);
  const junk = [
    null,
    '',
    '-1',
    'soon',
    'Infinity',
    '1e3',
    '0x10',
    '9'.repeat(400),
    'Thu, 01 Jan 2026 11:59:59 GMT',
    'Thu, 99 Jan 2026 12:00:07 GMT',
    '2026-01-01',
  ];
  expect(junk.map(seconds)).toEqual(junk.map(() => null));
});

test('a pause doubles with each try in vain, up to the longest, however many there were', () => {
  const pauses = [0, 1, 2, 3, 4_000].map((tries) => doubledPauseMs(1_000, tries, 5_000));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  expect(Number.isFinite(doubledPauseMs(10, 4_000))).toBe(true);
});
