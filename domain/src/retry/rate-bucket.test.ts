import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullBucket, type Grant, type RateLimit, slowDown, type TokenBucket, takePermits } from './rate-bucket.ts';

const fifty: RateLimit = { perSecond: 50, burst: 1 };

/** A bucket and a clock that only `later` moves. */
function story(limit: RateLimit = fifty) {
  let nowMs = 1_000_000;
  let bucket: TokenBucket = fullBucket(limit, nowMs);
  return {
    take: (want: number, wanted = limit): Grant => {
      const taken = takePermits(bucket, { limit: wanted, want }, nowMs);
      bucket = taken.bucket;
      return taken.grant;
    },
    complain: (pauseMs: number | null = null): void => {
      bucket = slowDown(bucket, { limit, pauseMs }, nowMs);
    },
    later: (ms: number): void => {
      nowMs += ms;
    },
    now: () => nowMs,
    rate: () => bucket.rate,
  };
}

const turnsOf = ({ granted, firstMs, spacingMs }: Grant, nowMs: number): number[] =>
  Array.from({ length: granted }, (_, at) => nowMs + firstMs + at * spacingMs);

describe('reliability 8: turns to call', () => {
  test('come one after another at the rate, never more than a second ahead', () => {
    const { take, later } = story();
    expect(take(3)).toEqual({ granted: 3, firstMs: 0, spacingMs: 20, againMs: 0 });
    expect(take(100)).toMatchObject({ granted: 48, firstMs: 60 });
    expect(take(1)).toMatchObject({ granted: 0, againMs: 20 });
    later(20);
    expect(take(9)).toMatchObject({ granted: 1, firstMs: 1_000 });
  });

  test('28 callers at 50 a second are within 2 % of the ideal count, however they ask', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 200, maxLength: 300 }), (pauses) => {
        const { take, later, now } = story();
        const startMs = now();
        const turns: number[] = [];
        // As long as somebody always wants to call, no turn is lost.
        const longestMs = 10_000;
        for (const ms of pauses) {
          for (let caller = 0; caller < 28; caller += 1) turns.push(...turnsOf(take(1), now()));
          later(ms);
          if (now() - startMs > longestMs) break;
        }
        const lengthMs = now() - startMs;
        const ideal = 1 + (50 * lengthMs) / 1_000;
        expect(Math.abs(turns.filter((at) => at <= now()).length - ideal)).toBeLessThanOrEqual(1 + ideal * 0.02);
      }),
    );
  });

  test('no window of a second has more of them than rate and burst, however long it was quiet before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3_000), fc.nat(80)), { maxLength: 40 }), (asked) => {
        const { take, later, now } = story({ perSecond: 20, burst: 4 });
        const turns: number[] = [];
        for (const [ms, want] of asked) {
          later(ms);
          turns.push(...turnsOf(take(want), now()));
        }
        for (const from of turns)
          expect(turns.filter((at) => at >= from && at < from + 999).length).toBeLessThanOrEqual(24);
      }),
    );
  });

  test('a burst is there again after a quiet time, and no more than it', () => {
    const { take, later } = story({ perSecond: 10, burst: 5 });
    expect(take(5)).toMatchObject({ granted: 5, firstMs: 0 });
    later(60_000);
    expect(take(99)).toMatchObject({ granted: 15, firstMs: 0 });
  });

  test('a limit below one a second still gives one at a time', () => {
    const { take, later } = story({ perSecond: 0.5, burst: 1 });
    expect(take(5)).toMatchObject({ granted: 2, firstMs: 0, spacingMs: 2_000 });
    expect(take(1)).toMatchObject({ granted: 0, againMs: 2_000 });
    later(2_000);
    expect(take(1)).toMatchObject({ granted: 1, firstMs: 2_000 });
  });

  test('a limit that was lowered holds at once', () => {
    const { take, later } = story();
    take(1);
    later(1_000);
    expect(take(1, { perSecond: 10, burst: 1 })).toMatchObject({ spacingMs: 100 });
  });
});

describe('reliability 8: a 429', () => {
  test('pauses the key as long as the provider asks, at most a minute, a second when it does not say', () => {
    for (const [asked, pauseMs] of [
      [null, 1_000],
      [7_000, 7_000],
      [86_400_000, 60_000],
    ] as const) {
      const { take, complain, later } = story();
      complain(asked);
      expect(take(1)).toMatchObject({ granted: 0, againMs: pauseMs });
      later(pauseMs);
      expect(take(1)).toMatchObject({ granted: 1, firstMs: 40 });
    }
  });

  test('halves the rate once, however many calls were under way', () => {
    const { complain, later, rate } = story();
    for (let call = 0; call < 20; call += 1) complain();
    expect(rate()).toBe(25);
    later(1_000);
    complain();
    expect(rate()).toBe(12.5);
  });

  test('that comes again and again leaves a 64th of the limit', () => {
    const { complain, later, rate } = story();
    for (let storm = 0; storm < 40; storm += 1) {
      complain(100);
      later(100);
    }
    expect(rate()).toBe(50 / 64);
  });

  test('is forgotten by 5 % of the limit a quiet second, up to it; the pause itself is not quiet', () => {
    const { take, complain, later, rate } = story();
    complain(30_000);
    later(30_000);
    take(0);
    expect(rate()).toBe(25);
    later(1_000);
    take(0);
    expect(rate()).toBeCloseTo(27.5, 9);
    later(3_600_000);
    take(0);
    expect(rate()).toBe(50);
  });

  test('a pause never ends earlier because another complaint asks for less', () => {
    const { take, complain } = story();
    complain(20_000);
    complain(1_000);
    expect(take(1)).toMatchObject({ granted: 0, againMs: 20_000 });
  });
});
