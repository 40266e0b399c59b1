import type { Grant } from '@proofmark/domain/rate-bucket';

/** Where turns to call one model come from. */
export interface PermitSource {
  take(want: number): Promise<Grant>;
  /** The provider has complained; null: it did not say for how long. */
  slowDown(pauseMs: number | null): Promise<void>;
}

export interface QueuePorts {
  monotonicMs: () => number;
  /** Rings once after `ms`, unless it is stopped before. */
  ring: (ms: number, bell: () => void) => { stop: () => void };
}

interface Waiter {
  go: () => void;
}

/** A turn that nobody has used for so long is gone: kept, they would become a burst. */
const keptMs = 1_000;
const mostAtOnce = 1_000;
/** Turns are granted ahead, so nothing is lost by asking no more often. */
const askEveryMs = 50;

const realTime: QueuePorts = {
  monotonicMs: () => performance.now(),
  ring: (ms, bell) => {
    const timer = setTimeout(bell, ms);
    return { stop: () => clearTimeout(timer) };
  },
};

/** Who wants to call one model with a limit, first come first served. Turns are fetched for those that wait, and for no others. */
export class PermitQueue {
  readonly #source: PermitSource;
  readonly #ports: QueuePorts;
  readonly #waiters: Waiter[] = [];
  /** When the turns come that were granted, earliest first. */
  #turns: number[] = [];
  #askAgainAtMs = 0;
  #pausedUntilMs = 0;
  #asking = 0;
  /** Complaints so far: what was granted before the last one is void. */
  #complaints = 0;
  #alarm: { stop: () => void } | undefined;

  constructor(source: PermitSource, ports: QueuePorts = realTime) {
    this.#source = source;
    this.#ports = ports;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** How long nobody may call, as far as is known here. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#ports.monotonicMs());
  }

  /** Takes a turn that is there already; false: `turn` has to be waited for. */
  takeNow(): boolean {
    if (this.#waiters.length > 0) return false;
    this.#forget();
    const [first] = this.#turns;
    if (first === undefined || first > this.#ports.monotonicMs()) return false;
    this.#turns.shift();
    return true;
  }

  /** Resolves when this caller may call; rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        go: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
      this.#advance();
    });
  }

  /** A turn that was taken and not used. */
  giveBack(): void {
    this.#turns.unshift(this.#ports.monotonicMs());
    this.#advance();
  }

  /** The provider has complained: what was granted before is void, and all runners wait. */
  slowDown(pauseMs: number | null): void {
    this.#turns = [];
    this.#askAgainAtMs = 0;
    this.#complaints += 1;
    this.#asking += 1;
    // Without an answer the next complaint is another chance; meanwhile its own caller waits as the provider asks.
    const told = this.#source.slowDown(pauseMs).catch(() => undefined);
    void told.then(() => {
      this.#asking -= 1;
      this.#advance();
    });
  }

  #advance(): void {
    this.#forget();
    const nowMs = this.#ports.monotonicMs();
    while (this.#waiters.length > 0 && (this.#turns[0] ?? Number.POSITIVE_INFINITY) <= nowMs) {
      this.#turns.shift();
      this.#waiters.shift()?.go();
    }
    const isShort = this.#waiters.length > this.#turns.length;
    if (isShort && this.#asking === 0 && nowMs >= this.#askAgainAtMs) void this.#ask();
    this.#setAlarm(nowMs, isShort);
  }

  #setAlarm(nowMs: number, isShort: boolean): void {
    this.#alarm?.stop();
    this.#alarm = undefined;
    if (this.#waiters.length === 0) return;
    const times = [...this.#turns.slice(0, 1), ...(isShort && this.#asking === 0 ? [this.#askAgainAtMs] : [])];
    if (times.length === 0) return;
    this.#alarm = this.#ports.ring(Math.max(1, Math.ceil(Math.min(...times) - nowMs)), () => this.#advance());
  }

  async #ask(): Promise<void> {
    const complaints = this.#complaints;
    const want = Math.min(mostAtOnce, this.#waiters.length - this.#turns.length);
    this.#asking += 1;
    try {
      const grant = await this.#source.take(want);
      if (complaints === this.#complaints) this.#keep(grant, want);
    } finally {
      this.#asking -= 1;
      this.#advance();
    }
  }

  #keep({ granted, firstMs, spacingMs, againMs }: Grant, want: number): void {
    const nowMs = this.#ports.monotonicMs();
    for (let at = 0; at < granted; at += 1) this.#turns.push(nowMs + firstMs + at * spacingMs);
    this.#turns.sort((a, b) => a - b);
    this.#askAgainAtMs = granted < want ? nowMs + Math.max(againMs, askEveryMs) : 0;
    this.#pausedUntilMs = granted === 0 ? nowMs + againMs : 0;
  }

  #forget(): void {
    const oldestMs = this.#ports.monotonicMs() - keptMs;
    while ((this.#turns[0] ?? Number.POSITIVE_INFINITY) < oldestMs) this.#turns.shift();
  }
}
