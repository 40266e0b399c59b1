import { fullBucket, type RateLimit, slowDown, type TokenBucket, takePermits } from './rate-bucket.ts';

/** What one model may be asked by all that share the limit. What is absent is not limited. */
export interface CallLimits {
  requests?: RateLimit;
  /** Tokens of questions and answers together. */
  tokensPerSecond?: number;
  /** Calls under way at the same time. */
  inFlight?: number;
}

/** Each limit has a bucket; of `inFlight` only its rate counts, which is how many calls there may be at the moment. */
export type LimitKind = 'requests' | 'tokens' | 'inFlight';
export type Buckets = Partial<Record<LimitKind, TokenBucket>>;

/** One of those that share a limit on calls under way. */
export interface Holder {
  /** So many calls it may have under way: nobody else has these. */
  held: number;
  /** So many it would have if it could. */
  wants: number;
}

export interface LimitState {
  buckets: Buckets;
  /** In the same order whoever asks. */
  holders: readonly Holder[];
  /** Which of them asks. */
  at: number;
}

/** What somebody who makes calls asks for, and what it tells about those that it has made. */
export interface TurnsAsked {
  /** Turns, for calls that wait. */
  want: number;
  /** Tokens that a call takes, as far as one can tell before. */
  cost: number;
  /** Tokens that calls took more than was guessed when they had their turn; below 0: that they took less. */
  settle: number;
  /** Of the calls that it was allowed to have under way it keeps so many. */
  holds: number;
  /** So many it would have under way if it could. */
  wants: number;
}

/** Turns to call, the first in `firstMs` and each next one `spacingMs` later, and how many calls may be under way. */
export interface TurnsGiven {
  granted: number;
  firstMs: number;
  spacingMs: number;
  /** Where fewer turns were given than asked for: worth asking again after so long. */
  againMs: number;
  /** Nobody may call for so long, because the provider has complained. */
  pausedMs: number;
  held: number;
  /** Its even share: what it holds beyond that it lets go when a call ends. */
  share: number;
}

export const limitKinds = ({ requests, tokensPerSecond, inFlight }: CallLimits): LimitKind[] => [
  ...(requests === undefined ? [] : (['requests'] as const)),
  ...(tokensPerSecond === undefined ? [] : (['tokens'] as const)),
  ...(inFlight === undefined ? [] : (['inFlight'] as const)),
];

/** The limit of a bucket. Tokens may be a second's worth in advance after a quiet time. */
export function limitOf({ requests, tokensPerSecond = 1, inFlight = 1 }: CallLimits, kind: LimitKind): RateLimit {
  if (kind === 'requests') return requests ?? { perSecond: 1, burst: 1 };
  return kind === 'tokens'
    ? { perSecond: tokensPerSecond, burst: tokensPerSecond }
    : { perSecond: inFlight, burst: inFlight };
}

export const newBucket = (limits: CallLimits, kind: LimitKind, nowMs: number): TokenBucket =>
  fullBucket(limitOf(limits, kind), nowMs);

/** Turns as far as each of the limits has some left, and a share of the calls that may be under way. */
export function giveTurns(
  limits: CallLimits,
  { buckets, ...shared }: LimitState,
  asked: TurnsAsked,
  nowMs: number,
): { buckets: Buckets; given: TurnsGiven } {
  const taking = (kind: LimitKind, want: number) => {
    const bucket = buckets[kind] ?? newBucket(limits, kind, nowMs);
    const cost = kind === 'tokens' ? Math.max(1, asked.cost) : 1;
    const settled = kind === 'tokens' ? { ...bucket, tokens: bucket.tokens - asked.settle } : bucket;
    return takePermits(settled, { limit: limitOf(limits, kind), want, cost }, nowMs);
  };
  const kinds = limitKinds(limits);
  const rated = kinds.filter((kind) => kind !== 'inFlight');
  const granted = Math.min(asked.want, ...rated.map((kind) => taking(kind, asked.want).grant.granted));
  const takenNow = kinds.map((kind) => ({ kind, ...taking(kind, kind === 'inFlight' ? 0 : granted) }));
  const ofRates = takenNow.filter(({ kind }) => kind !== 'inFlight').map(({ grant }) => grant);
  const pausedMs = Math.max(0, ...takenNow.map(({ bucket }) => bucket.pausedUntilMs - nowMs));
  const calls = takenNow.find(({ kind }) => kind === 'inFlight');
  return {
    buckets: Object.fromEntries(takenNow.map(({ kind, bucket }) => [kind, bucket])),
    given: {
      granted,
      firstMs: Math.max(0, ...ofRates.map(({ firstMs }) => firstMs)),
      spacingMs: Math.max(0, ...ofRates.map(({ spacingMs }) => spacingMs)),
      againMs: Math.max(0, pausedMs, ...ofRates.map(({ againMs }) => againMs)),
      pausedMs,
      ...(calls === undefined ? { held: 0, share: 0 } : callsFor(calls.bucket.rate, shared, asked, nowMs)),
    },
  };
}

/** The buckets after the provider has complained (429): all of them paused, and at half of what they allowed. */
export function slowDownAll(limits: CallLimits, buckets: Buckets, pauseMs: number | null, nowMs: number): Buckets {
  return Object.fromEntries(
    limitKinds(limits).map((kind) => {
      const bucket = buckets[kind] ?? newBucket(limits, kind, nowMs);
      const slowed = slowDown(bucket, { limit: limitOf(limits, kind), pauseMs }, nowMs);
      // Turns that were given and are void now cost no call, but tokens that were used stay used.
      return [kind, kind === 'tokens' ? { ...slowed, tokens: Math.min(bucket.tokens, slowed.tokens) } : slowed];
    }),
  );
}

/** What cannot be divided evenly goes round in steps of so long: a limit of 1 serves eight runners one after the other. */
const roundMs = 5_000;

/** What one holds is never taken from it: it lets go by itself, and until then others get only what nobody has. */
function callsFor(
  most: number,
  { holders, at }: Pick<LimitState, 'holders' | 'at'>,
  asked: TurnsAsked,
  nowMs: number,
): Pick<TurnsGiven, 'held' | 'share'> {
  const limit = Math.max(1, Math.floor(most));
  const kept = Math.min(holders[at]?.held ?? 0, asked.holds);
  const free = limit - holders.reduce((sum, { held }, index) => (index === at ? sum : sum + held), 0);
  const wanted = holders.map(({ wants }, index) => (index === at ? asked.wants : wants));
  const share = shareOut(limit, wanted, Math.floor(nowMs / roundMs))[at] ?? 0;
  return { held: Math.max(kept, Math.min(share, free)), share };
}

/** As much for each as the limit has for all, and no more than it wants; the rest one by one, from another place each `round`. */
export function shareOut(limit: number, wanted: readonly number[], round: number): number[] {
  const byWant = wanted.toSorted((a, b) => a - b);
  let [left, level] = [limit, 0];
  for (const [index, want] of byWant.entries()) {
    level = Math.floor(left / (byWant.length - index));
    if (want > level) break;
    left -= want;
  }
  const shares = wanted.map((want) => Math.min(want, level));
  let rest = limit - shares.reduce((sum, share) => sum + share, 0);
  for (let step = 0; step < wanted.length && rest > 0; step++) {
    const at = (round + step) % wanted.length;
    if ((wanted[at] ?? 0) <= (shares[at] ?? 0)) continue;
    shares[at] = (shares[at] ?? 0) + 1;
    rest -= 1;
  }
  return shares;
}
