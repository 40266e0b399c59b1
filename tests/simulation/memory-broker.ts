import type { IncomingResult, TaskRef } from './stored.ts';

interface Kept<Body> {
  id: string;
  body: Body;
  /** Delivered and not acknowledged: it comes again after this. */
  againMs: number;
}

export interface Delivered<Body> {
  body: Body;
  ack: () => void;
  nak: (delayMs: number) => void;
}

const duplicateWindowMs = 120_000;

/** A stream with a consumer as JetStream has it: it keeps what it acknowledged until it is acknowledged in turn. */
class Stream<Body> {
  readonly #ackWaitMs: number;
  #kept: Kept<Body>[] = [];
  #seen = new Map<string, number>();

  constructor(ackWaitMs: number) {
    this.#ackWaitMs = ackWaitMs;
  }

  get size(): number {
    return this.#kept.length;
  }

  add(id: string, body: Body, nowMs: number): void {
    const seenMs = this.#seen.get(id);
    if (seenMs !== undefined && nowMs - seenMs < duplicateWindowMs) return;
    this.#seen.set(id, nowMs);
    this.#kept.push({ id, body, againMs: 0 });
  }

  take(most: number, nowMs: number): Delivered<Body>[] {
    const taken: Delivered<Body>[] = [];
    for (const kept of this.#kept) {
      if (taken.length === most) break;
      if (kept.againMs > nowMs) continue;
      kept.againMs = nowMs + this.#ackWaitMs;
      taken.push({
        body: kept.body,
        // An acknowledgement of an earlier delivery counts as well: the broker does not fence.
        ack: () => this.#forget(kept),
        nak: (delayMs) => {
          kept.againMs = nowMs + delayMs;
        },
      });
    }
    return taken;
  }

  #forget(kept: Kept<Body>): void {
    this.#kept = this.#kept.filter((other) => other !== kept);
  }

  lose(): void {
    this.#kept = [];
    this.#seen = new Map();
  }
}

const ackWaitMs = 30_000;

/** Task messages by chunk, and result messages with up to so many results as a runner puts into one. */
export class MemoryBroker {
  readonly work = new Stream<TaskRef>(ackWaitMs);
  readonly results = new Stream<readonly IncomingResult[]>(ackWaitMs);
  isUp = true;
  /** False after the store was lost, until a coordinator has made the streams again. */
  hasStreams = true;

  loseStore(): void {
    this.work.lose();
    this.results.lose();
    this.hasStreams = false;
  }
}
