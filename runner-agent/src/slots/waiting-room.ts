import { abortScope, pause } from '../retry/pause.ts';

/** Also beside a single slot, so that one slow model does not keep the cases of another from it. */
const fewest = 4;
/** So many runs may have all that they are allowed to let wait. */
const runs = 8;
const lookMs = 50;

/**
 * Counts the cases that wait without a slot. Of one run there are no more than there are slots: further ones would only join
 * the same queue while their time runs. Of all runs there is a bound, because each of them is in memory.
 */
export class WaitingRoom {
  readonly #perRun: number;
  readonly #most: number;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  constructor(slots: number) {
    this.#perRun = Math.max(fewest, slots);
    this.#most = this.#perRun * runs;
  }

  get size(): number {
    return this.#total;
  }

  /** A case of the run begins to wait, or waits no more. */
  tell(runId: string, waits: boolean): void {
    const change = waits ? 1 : -1;
    const count = (this.#waiting.get(runId) ?? 0) + change;
    if (count === 0) this.#waiting.delete(runId);
    else this.#waiting.set(runId, count);
    this.#total += change;
  }

  /** Whether another case of the run may begin. */
  hasRoom(runId: string): boolean {
    return this.#total < this.#most && (this.#waiting.get(runId) ?? 0) < this.#perRun;
  }

  /** Resolves when another case of the run may begin; rejects with the signal's reason. */
  async whenRoom(runId: string, signal: AbortSignal): Promise<void> {
    while (!this.hasRoom(runId)) await pause(lookMs, signal);
  }

  /** Whether another case of the run may begin in time; rejects with the signal's reason. */
  async hasRoomWithin(runId: string, patienceMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.hasRoom(runId)) return true;
    using scope = abortScope(signal, patienceMs);
    try {
      await this.whenRoom(runId, scope.signal);
      return true;
    } catch (error) {
      if (scope.timedOut) return false;
      throw error;
    }
  }
}
