import { createHash } from 'node:crypto';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { fullBucket, type RateLimit, slowDown, type TokenBucket, takePermits } from '@proofmark/domain/rate-bucket';
import { PermitQueue, type PermitSource } from './permit-queue.ts';

/** Who may call which model when. */
export interface Permits {
  /** Where calls to this model wait for their turn; undefined: it has no limit, and nobody is asked. */
  queueFor(settings: Limited): PermitQueue | undefined;
}

/** A model, or a service of a team under its address. */
type Limited = Pick<ModelSettings, 'model' | 'limits'> & Partial<ModelSettings>;

/** What a limit is a limit of: the model at its endpoint, with the account that its key stands for. */
interface LimitedModel {
  key: string;
  limit: RateLimit;
}

const mostQueues = 1_000;
const longestKey = 400;

/** One queue per limited model, with turns from the source that `sourceOf` opens for it. */
export function permitsFrom(sourceOf: (model: LimitedModel) => PermitSource): Permits {
  const queues = new Map<string, PermitQueue>();
  return {
    queueFor(settings) {
      if (settings.limits === undefined) return undefined;
      const model = limitedModel(settings, settings.limits);
      const id = JSON.stringify(model);
      const known = queues.get(id);
      if (known !== undefined) return known;
      const queue = new PermitQueue(sourceOf(model));
      queues.set(id, queue);
      if (queues.size > mostQueues) forgetOne(queues);
      return queue;
    },
  };
}

function limitedModel(settings: Limited, limits: NonNullable<ModelSettings['limits']>): LimitedModel {
  const { base_url = 'default', api_key_env, model } = settings;
  const text = [base_url, model, ...(api_key_env === undefined ? [] : [api_key_env])].join(' ');
  const key = text.length <= longestKey ? text : createHash('sha256').update(text).digest('hex');
  return { key, limit: { perSecond: limits.requests_per_minute / 60, burst: limits.burst ?? 1 } };
}

/** The oldest that nobody waits in; what the ledger knows of it is found again. */
function forgetOne(queues: Map<string, PermitQueue>): void {
  for (const [id, queue] of queues) {
    if (queue.waiting > 0) continue;
    queues.delete(id);
    return;
  }
}

type Clock = { monotonicMs: () => number };

/** Turns for a process that shares its models with no other. */
export function localSource(limit: RateLimit, { monotonicMs }: Clock): PermitSource {
  let bucket: TokenBucket = fullBucket(limit, monotonicMs());
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
