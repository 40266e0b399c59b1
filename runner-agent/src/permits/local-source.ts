import { fullBucket, type RateBucket, type RateLimit, slowDown, takePermits } from '@proofmark/domain/rate-bucket';
import type { PermitSource } from './permit-queue.ts';
import { type Permits, permitsFrom } from './permits.ts';

type Clock = { monotonicMs: () => number };

/** Turns for a process that shares its models with no other. */
export function localSource(limit: RateLimit, { monotonicMs }: Clock): PermitSource {
  let bucket: RateBucket = fullBucket(limit, monotonicMs());
  return {
    take: async (want) => {
      const taken = takePermits(bucket, { limit, want }, monotonicMs());
      bucket = taken.bucket;
      return taken.grant;
    },
    slowDown: async (pauseMs) => {
      bucket = slowDown(bucket, { limit, pauseMs }, monotonicMs());
    },
  };
}

/** The limits of all models, kept by this process alone. */
export const localPermits = (clock: Clock): Permits => permitsFrom(({ limit }) => localSource(limit, clock));
