/** How a call to an endpoint ended: it answered, it failed in a way that may pass, or it refused key or quota. */
export type CallEnd = 'answered' | 'failed' | 'refused';

/** `refused`: key or quota will not come back by asking again; `outage`: it has failed for too long. */
export type StopReason = 'refused' | 'outage';

export type Admission =
  | { kind: 'go'; isProbe: boolean }
  /** Worth asking again after so long. */
  | { kind: 'wait'; ms: number }
  | { kind: 'stopped'; reason: StopReason };

export const breakerRules = {
  windowMs: 30_000,
  /** Fewer calls say nothing about the endpoint. */
  fewestCalls: 20,
  failedShare: 0.5,
  /** How long it rests before one call tries whether it is back. */
  restMs: 15_000,
  /** How often others look whether that call has come back. */
  lookMs: 1_000,
  longestOutageMs: 5 * 60_000,
  refusals: 3,
};
export type BreakerRules = typeof breakerRules;

interface Rest {
  sinceMs: number;
  probeAtMs: number;
  isProbing: boolean;
}

const bucketMs = 1_000;

/**
 * Decides whether one endpoint may be called: an endpoint that mostly fails rests, one call at a time tries whether it is
 * back, and what refuses key or quota, or stays away too long, is not called again. Times are those of one monotonic clock.
 */
export class Breaker {
  readonly #rules: BreakerRules;
  /** Calls and failures by second: a list of calls would grow with the speed of the run. */
  readonly #buckets = new Map<number, { calls: number; failed: number }>();
  #refusals = 0;
  #rest: Rest | undefined;
  #stopped: StopReason | undefined;

  constructor(rules: BreakerRules = breakerRules) {
    this.#rules = rules;
  }

  /** Whether a call may be made now. Each `go` must be followed by one `ended`. */
  admit(nowMs: number): Admission {
    const admission = this.look(nowMs);
    if (admission.kind === 'go' && this.#rest) this.#rest.isProbing = true;
    return admission;
  }

  /** What `admit` would say, for who has something else to wait for first. */
  look(nowMs: number): Admission {
    const rest = this.#rest;
    if (rest && nowMs - rest.sinceMs >= this.#rules.longestOutageMs) this.#stopped ??= 'outage';
    if (this.#stopped) return { kind: 'stopped', reason: this.#stopped };
    if (!rest) return { kind: 'go', isProbe: false };
    if (nowMs < rest.probeAtMs) return { kind: 'wait', ms: rest.probeAtMs - nowMs };
    if (rest.isProbing) return { kind: 'wait', ms: this.#rules.lookMs };
    return { kind: 'go', isProbe: true };
  }

  ended(nowMs: number, end: CallEnd, { isProbe }: { isProbe: boolean }): void {
    this.#refusals = end === 'refused' ? this.#refusals + 1 : 0;
    if (this.#refusals >= this.#rules.refusals) this.#stopped ??= 'refused';
    if (end === 'answered') this.#rest = undefined;
    if (isProbe && this.#rest) this.#rest = { ...this.#rest, isProbing: false, probeAtMs: nowMs + this.#rules.restMs };
    this.#count(nowMs, end);
    if (end === 'failed' && !this.#rest && this.#failsMostly()) {
      this.#rest = { sinceMs: nowMs, probeAtMs: nowMs + this.#rules.restMs, isProbing: false };
      this.#buckets.clear();
    }
  }

  #count(nowMs: number, end: CallEnd): void {
    const second = Math.floor(nowMs / bucketMs);
    const bucket = this.#buckets.get(second) ?? { calls: 0, failed: 0 };
    bucket.calls += 1;
    if (end === 'failed') bucket.failed += 1;
    if (bucket.calls > 1) return;
    this.#buckets.set(second, bucket);
    const oldest = second - this.#rules.windowMs / bucketMs;
    for (const past of this.#buckets.keys()) if (past <= oldest) this.#buckets.delete(past);
  }

  #failsMostly(): boolean {
    const all = [...this.#buckets.values()];
    const sum = (of: 'calls' | 'failed'): number => all.reduce((total, bucket) => total + bucket[of], 0);
    return sum('calls') >= this.#rules.fewestCalls && sum('failed') >= sum('calls') * this.#rules.failedShare;
  }
}
