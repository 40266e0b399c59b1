import type { ActiveRun } from '@proofmark/contracts/control-messages';

interface RunLoop {
  stop: AbortController;
  /** Consecutive lists of active runs that did not name it. */
  missed: number;
  ended: Promise<void>;
}

/** One loop per active run. */
export class RunLoops {
  readonly #consume: (run: ActiveRun, signal: AbortSignal) => Promise<void>;
  readonly #loops = new Map<string, RunLoop>();
  #isClosed = false;

  constructor(consume: (run: ActiveRun, signal: AbortSignal) => Promise<void>) {
    this.#consume = consume;
  }

  get size(): number {
    return this.#loops.size;
  }

  start(run: ActiveRun): void {
    if (this.#isClosed || this.#loops.has(run.runId)) return;
    const stop = new AbortController();
    this.#loops.set(run.runId, { stop, missed: 0, ended: this.#consume(run, stop.signal) });
  }

  stop(runId: string): void {
    const loop = this.#loops.get(runId);
    this.#loops.delete(runId);
    loop?.stop.abort(new Error('The run has ended'));
  }

  /** Starts what is new and stops what is gone. A list may be older than the notice of a new run, so one absence is forgiven. */
  follow(runs: readonly ActiveRun[]): void {
    const named = new Set(runs.map((run) => run.runId));
    for (const [runId, loop] of this.#loops) {
      loop.missed = named.has(runId) ? 0 : loop.missed + 1;
      if (loop.missed > 1) this.stop(runId);
    }
    for (const run of runs) this.start(run);
  }

  /** Takes no further work from any run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const loops = [...this.#loops.values()];
    for (const runId of [...this.#loops.keys()]) this.stop(runId);
    await Promise.all(loops.map(({ ended }) => ended));
  }
}
