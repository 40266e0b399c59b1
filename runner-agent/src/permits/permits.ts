import { createHash } from 'node:crypto';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { type Buckets, type CallLimits, giveTurns, type Holder, slowDownAll } from '@proofmark/domain/call-limits';
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
  limits: CallLimits;
}

const mostQueues = 1_000;
const longestKey = 400;
/** What a call takes until one has ended, where the model has no limit of its own. */
const usualTokens = 1_000;

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
      const cost = settings.max_tokens ?? usualTokens;
      const queue = new PermitQueue(sourceOf(model), { limits: model.limits, cost });
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
  const { requests_per_minute: requests, tokens_per_minute: tokens, in_flight: inFlight, burst = 1 } = limits;
  return {
    key,
    limits: {
      ...(requests === undefined ? {} : { requests: { perSecond: requests / 60, burst } }),
      ...(tokens === undefined ? {} : { tokensPerSecond: tokens / 60 }),
      ...(inFlight === undefined ? {} : { inFlight }),
    },
  };
}

/** The oldest that nobody needs; what the ledger knows of it is found again. */
function forgetOne(queues: Map<string, PermitQueue>): void {
  for (const [id, queue] of queues) {
    if (!queue.isIdle) continue;
    queues.delete(id);
    return;
  }
}

type Clock = { monotonicMs: () => number };

/** Turns for a process that shares its models with no other. */
export function localSource(limits: CallLimits, { monotonicMs }: Clock): PermitSource {
  let buckets: Buckets = {};
  let holder: Holder = { held: 0, wants: 0 };
  return {
    take: async (asked) => {
      const taken = giveTurns(limits, { buckets, holders: [holder], at: 0 }, asked, monotonicMs());
      buckets = taken.buckets;
      holder = { held: taken.given.held, wants: asked.wants };
      return taken.given;
    },
    slowDown: async (pauseMs) => {
      buckets = slowDownAll(limits, buckets, pauseMs, monotonicMs());
    },
  };
}

/** The limits of all models, kept by this process alone. */
export const localPermits = (clock: Clock): Permits => permitsFrom(({ limits }) => localSource(limits, clock));
