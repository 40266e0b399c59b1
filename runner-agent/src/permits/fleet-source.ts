import type { PermitsReply, PermitsRequest } from '@proofmark/contracts/control-messages';
import { type CallLimits, limitKinds, type TurnsAsked, type TurnsGiven } from '@proofmark/domain/call-limits';
import { fullBucket, type RateLimit, slowDown, type TokenBucket, takePermits } from '@proofmark/domain/rate-bucket';
import type { PermitSource } from './permit-queue.ts';

export interface FleetPorts {
  /** The coordinator's answer about this model; undefined: none came. */
  ask: (question: PermitsRequest['ask']) => Promise<PermitsReply | undefined>;
  /** Runners that share the limit, as last heard. */
  fleetSize: () => number;
  monotonicMs: () => number;
}

/** How long a runner goes on by itself when no coordinator answers. */
const aloneMs = 5_000;
const askAgainMs = 500;

/**
 * Turns from the limits that all runners share. Without an answer a runner takes its share of the last rate: for 5 s, or as
 * long as the coordinator says that it is only the ledger that does not answer. Of the calls that it may have under way it
 * keeps what it has: nobody gives these to others as long as its session lives.
 */
export class FleetSource implements PermitSource {
  readonly #ports: FleetPorts;
  readonly #isRated: boolean;
  #rate: number;
  #silentSinceMs: number | undefined;
  #own: TokenBucket | undefined;
  /** What was told and not heard. */
  #unheard = 0;

  constructor(limits: CallLimits, ports: FleetPorts) {
    this.#ports = ports;
    this.#isRated = limitKinds(limits).some((kind) => kind !== 'inFlight');
    // Until the first answer nobody knows how many calls the tokens of a second are.
    this.#rate = limits.requests?.perSecond ?? 1;
  }

  async take({ want, settle, ...asked }: TurnsAsked): Promise<TurnsGiven> {
    const askedAtMs = this.#ports.monotonicMs();
    // No more than its share of a second: what one runner has taken ahead, the others cannot have.
    const share = Math.max(1, Math.ceil(this.#rate / this.#ports.fleetSize()));
    const owed = settle + this.#unheard;
    this.#unheard = 0;
    const reply = await this.#ports.ask({ ...asked, kind: 'take', want: Math.min(want, share), settle: owed });
    if (reply?.ledger !== 'up') {
      this.#unheard += owed;
      return {
        ...this.#takeAlone(want, reply === undefined ? askedAtMs : null),
        held: asked.holds,
        share: asked.holds,
      };
    }
    this.#silentSinceMs = undefined;
    this.#own = undefined;
    if (reply.spacingMs > 0) this.#rate = 1_000 / reply.spacingMs;
    const { pausedMs = reply.granted === 0 && want > 0 ? reply.againMs : 0, held = 0, share: calls = held } = reply;
    return { ...reply, pausedMs, held, share: calls };
  }

  async slowDown(pauseMs: number | null): Promise<void> {
    const reply = await this.#ports.ask({ kind: 'slow-down', pauseMs });
    if (reply?.ledger === 'up') return;
    const nowMs = this.#ports.monotonicMs();
    const limit = this.#shareOfLimit();
    this.#own = slowDown(this.#own ?? fullBucket(limit, nowMs), { limit, pauseMs }, nowMs);
  }

  /** `askedAtMs` is null when the coordinator is there. */
  #takeAlone(want: number, askedAtMs: number | null): Omit<TurnsGiven, 'held' | 'share'> {
    const nowMs = this.#ports.monotonicMs();
    const limit = this.#shareOfLimit();
    if (askedAtMs === null) this.#silentSinceMs = undefined;
    else this.#silentSinceMs ??= askedAtMs;
    const none = { granted: 0, firstMs: 0, spacingMs: 1_000 / limit.perSecond, againMs: askAgainMs, pausedMs: 0 };
    if (this.#silentSinceMs !== undefined && nowMs - this.#silentSinceMs >= aloneMs) return none;
    const taken = takePermits(this.#own ?? fullBucket(limit, nowMs), { limit, want }, nowMs);
    this.#own = taken.bucket;
    const pausedMs = Math.max(0, taken.bucket.pausedUntilMs - nowMs);
    return this.#isRated ? { ...taken.grant, pausedMs } : { ...none, pausedMs };
  }

  #shareOfLimit(): RateLimit {
    return { perSecond: this.#rate / this.#ports.fleetSize(), burst: 1 };
  }
}
