/** Waits without taking part in anything: what comes of the waiting. */
type Aside = <T>(wait: () => Promise<T>) => Promise<T>;

/** Ends one try. What must wait for its turn to call does so in `aside`, so that the waiting is nobody's time. */
export interface TrySignal extends AbortSignal {
  /** Waits while the time of the try stands still and its case runs nothing. Absent: it is waited as anywhere. */
  readonly aside?: Aside;
  /** Until everything must be over. Absent: never. */
  readonly remainingMs?: () => number;
  /** Told how long a connection took to open. It is time of the try, and no part of its latency. */
  readonly opened?: (ms: number) => void;
}

/** Waits in the way that the signal offers. */
export function waitAside<T>(signal: TrySignal, wait: () => Promise<T>): Promise<T> {
  return signal.aside ? signal.aside(wait) : wait();
}

export interface TryScopeOptions {
  parent: AbortSignal;
  /** Of the try itself, without what it waits. */
  timeoutMs: number;
  /** When everything must be over, on the clock. */
  deadlineAtMs: number;
  clock: { monotonicMs(): number };
  /** Where the case of the try waits. */
  place: { aside: <T>(wait: () => Promise<T>, signal: AbortSignal) => Promise<T> };
}

/** The limits of one try: it ends with its parent, or after its own time. Must be disposed, else its timer lives on. */
export class TryScope implements Disposable {
  readonly signal: TrySignal;
  readonly #options: TryScopeOptions;
  readonly #controller = new AbortController();
  readonly #follow = (): void => this.#controller.abort(this.#options.parent.reason);
  #timer: NodeJS.Timeout | undefined;
  #leftMs: number;
  #runsSinceMs: number;
  #waiting = 0;
  #standsSinceMs = 0;
  #waitedMs = 0;
  #openingMs = 0;
  #timedOut = false;

  constructor(options: TryScopeOptions) {
    this.#options = options;
    this.#leftMs = options.timeoutMs;
    this.#runsSinceMs = options.clock.monotonicMs();
    this.signal = Object.assign(this.#controller.signal, {
      aside: <T>(wait: () => Promise<T>) => this.#aside(wait),
      remainingMs: () => options.deadlineAtMs - options.clock.monotonicMs(),
      opened: (ms: number) => {
        this.#openingMs += ms;
      },
    });
    const { parent } = options;
    this.#run();
    if (parent.aborted) this.#follow();
    else parent.addEventListener('abort', this.#follow, { once: true });
  }

  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** What is not its latency: waiting for its turn, and for connections to open. */
  get unmeasuredMs(): number {
    return this.#waitedMs + this.#openingMs;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#options.parent.removeEventListener('abort', this.#follow);
  }

  async #aside<T>(wait: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    if (this.#waiting === 1) this.#stand();
    try {
      return await this.#options.place.aside(wait, this.#options.parent);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#goOn();
    }
  }

  #stand(): void {
    clearTimeout(this.#timer);
    this.#standsSinceMs = this.#options.clock.monotonicMs();
    this.#leftMs -= this.#standsSinceMs - this.#runsSinceMs;
  }

  #goOn(): void {
    this.#runsSinceMs = this.#options.clock.monotonicMs();
    this.#waitedMs += this.#runsSinceMs - this.#standsSinceMs;
    if (!this.signal.aborted) this.#run();
  }

  #run(): void {
    this.#timer = setTimeout(
      () => {
        this.#timedOut = true;
        this.#controller.abort(new Error(`Timeout after ${this.#options.timeoutMs}ms`));
      },
      Math.max(0, this.#leftMs),
    );
  }
}
