/** From what left within so long it is told how fast it goes. */
const seenMs = 250;

/** How fast test runs leave for the runners of a pool. */
export class PoolPace {
  readonly #monotonicMs: () => number;
  #left: { atMs: number; testRuns: number }[] = [];

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  note(testRuns: number): void {
    if (testRuns > 0) this.#left.push({ atMs: this.#monotonicMs(), testRuns });
  }

  /** How many leave within so long, if it goes on as in the last moments. */
  within(ms: number): number {
    const sinceMs = this.#monotonicMs() - seenMs;
    this.#left = this.#left.filter(({ atMs }) => atMs > sinceMs);
    const left = this.#left.reduce((sum, { testRuns }) => sum + testRuns, 0);
    return Math.round((left / seenMs) * ms);
  }
}
