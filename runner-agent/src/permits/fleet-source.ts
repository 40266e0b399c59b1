import type { PermitsReply, PermitsRequest } from '@proofmark/contracts/control-messages';
import {
  fullBucket,
  type Grant,
  type RateLimit,
  slowDown,
  type TokenBucket,
  takePermits,
} from '@proofmark/domain/rate-bucket';
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
 * Turns from the bucket that all runners share. Without an answer a runner takes its share of the last rate: for 5 s, or
 * as long as the coordinator says that it is only the ledger that does not answer.
 */
export class FleetSource implements PermitSource {
  readonly #ports: FleetPorts;
  #rate: number;
  #silentSinceMs: number | undefined;
  #own: TokenBucket | undefined;

  constructor({ perSecond }: Pick<RateLimit, 'perSecond'>, ports: FleetPorts) {
    this.#ports = ports;
    this.#rate = perSecond;
  }

  async take(want: number): Promise<Grant> {
    const askedAtMs = this.#ports.monotonicMs();
    // No more than its share of a second: what one runner has taken ahead, the others cannot have.
    const share = Math.max(1, Math.ceil(this.#rate / this.#ports.fleetSize()));
    const reply = await this.#ports.ask({ kind: 'take', want: Math.min(want, share) });
    if (reply?.ledger !== 'up') return this.#takeAlone(want, reply === undefined ? askedAtMs : null);
    this.#silentSinceMs = undefined;
    this.#own = undefined;
    this.#rate = 1_000 / reply.spacingMs;
    return reply;
  }

  async slowDown(pauseMs: number | null): Promise<void> {
    const reply = await this.#ports.ask({ kind: 'slow-down', pauseMs });
    if (reply?.ledger === 'up') return;
    const nowMs = this.#ports.monotonicMs();
    const limit = this.#shareOfLimit();
    this.#own = slowDown(this.#own ?? fullBucket(limit, nowMs), { limit, pauseMs }, nowMs);
  }

  /** `askedAtMs` is null when the coordinator is there. */
  #takeAlone(want: number, askedAtMs: number | null): Grant {
    const nowMs = this.#ports.monotonicMs();
    const limit = this.#shareOfLimit();
    if (askedAtMs === null) this.#silentSinceMs = undefined;
    else this.#silentSinceMs ??= askedAtMs;
    if (this.#silentSinceMs !== undefined && nowMs - this.#silentSinceMs >= aloneMs)
      return { granted: 0, firstMs: 0, spacingMs: 1_000 / limit.perSecond, againMs: askAgainMs };
    const taken = takePermits(this.#own ?? fullBucket(limit, nowMs), { limit, want }, nowMs);
    this.#own = taken.bucket;
    return taken.grant;
  }

  #shareOfLimit(): RateLimit {
    return { perSecond: this.#rate / this.#ports.fleetSize(), burst: 1 };
  }
}
