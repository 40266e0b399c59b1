/** What one model may be asked: calls (or what else is counted) per second, and how many at once after a quiet time. */
export interface RateLimit {
  perSecond: number;
  /** At least 1. */
  burst: number;
}

/** What is left of a limit at one moment. */
export interface TokenBucket {
  /** Calls per second at the moment: less than the limit after the provider has complained. */
  rate: number;
  /** Below 0: so many calls have their turn already, and it is still to come. */
  tokens: number;
  updatedAtMs: number;
  /** Nobody may call before. */
  pausedUntilMs: number;
}

/** Turns to call, the first in `firstMs` and each next one `spacingMs` later; none: worth asking again in `againMs`. */
export interface Grant {
  granted: number;
  firstMs: number;
  spacingMs: number;
  againMs: number;
}

export const rateRules = {
  /** Turns are given at most so long before they come, so that a pause is heeded soon. */
  aheadMs: 1_000,
  longestPauseMs: 60_000,
  /** The pause after a complaint that names none. */
  usualPauseMs: 1_000,
  /** Of the limit, in every second without a complaint: after 20 of them at most all is as before. */
  growthPerSecond: 0.05,
  /** Complaints halve the rate, but never below this share of the limit: a single storm must not stop it for good. */
  lowestShare: 1 / 64,
};

/** A bucket that nobody has taken from. */
export function fullBucket({ perSecond, burst }: RateLimit, nowMs: number): TokenBucket {
  return { rate: perSecond, tokens: burst, updatedAtMs: nowMs, pausedUntilMs: 0 };
}

/** Up to `want` turns to call, each of which takes `cost` of what the limit counts, and the bucket without them. Nothing is refilled while it is paused. */
export function takePermits(
  bucket: TokenBucket,
  { limit, want, cost = 1 }: { limit: RateLimit; want: number; cost?: number },
  nowMs: number,
): { bucket: TokenBucket; grant: Grant } {
  const refilled = refill(bucket, limit, nowMs);
  const { rate, tokens } = refilled;
  const spacingMs = (cost * 1_000) / rate;
  const pausedMs = refilled.pausedUntilMs - nowMs;
  if (pausedMs > 0) return { bucket: refilled, grant: { granted: 0, firstMs: 0, spacingMs, againMs: pausedMs } };
  const ahead = Math.max(cost, (rate * rateRules.aheadMs) / 1_000);
  const granted = Math.min(want, Math.max(0, Math.floor((tokens + ahead) / cost)));
  const firstMs = Math.max(0, ((cost - tokens) * 1_000) / rate);
  const againMs = Math.max(0, ((cost - ahead - tokens) * 1_000) / rate);
  return { bucket: { ...refilled, tokens: tokens - granted * cost }, grant: { granted, firstMs, spacingMs, againMs } };
}

/**
 * The bucket after the provider has complained (429): paused, and at half the rate. What arrives during the pause belongs to
 * the same complaint, so it may lengthen the pause and does not halve again.
 */
export function slowDown(
  bucket: TokenBucket,
  { limit, pauseMs }: { limit: RateLimit; pauseMs: number | null },
  nowMs: number,
): TokenBucket {
  const refilled = refill(bucket, limit, nowMs);
  const isNew = refilled.pausedUntilMs <= nowMs;
  const lowest = limit.perSecond * rateRules.lowestShare;
  const endMs = nowMs + Math.min(rateRules.longestPauseMs, pauseMs ?? rateRules.usualPauseMs);
  return {
    rate: isNew ? Math.max(lowest, refilled.rate / 2) : refilled.rate,
    tokens: 0,
    updatedAtMs: refilled.updatedAtMs,
    pausedUntilMs: Math.max(refilled.pausedUntilMs, endMs),
  };
}

function refill(bucket: TokenBucket, { perSecond, burst }: RateLimit, nowMs: number): TokenBucket {
  const quietS = Math.max(0, nowMs - Math.max(bucket.updatedAtMs, bucket.pausedUntilMs)) / 1_000;
  return {
    rate: Math.min(perSecond, bucket.rate + perSecond * rateRules.growthPerSecond * quietS),
    tokens: Math.min(burst, bucket.tokens + Math.min(perSecond, bucket.rate) * quietS),
    updatedAtMs: Math.max(bucket.updatedAtMs, nowMs),
    pausedUntilMs: bucket.pausedUntilMs,
  };
}
