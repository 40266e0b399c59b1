import { abortScope, pause } from '@proofmark/process/pause';
import type { HeldSlot } from '../retry/case-place.ts';

interface Waiter {
  weight: number;
  admit: () => void;
}

/**
 * A bound on what runs at once, first come first served: with one waiter per run that is a round-robin between runs, and
 * a run of ten cases is not stuck behind one of two thousand. A waiter that needs many slots holds back all behind it.
 */
export class FairSlots {
  readonly total: number;
  #free: number;
  #waiters: Waiter[] = [];
  #ended = { turns: 0, ms: 0 };

  constructor(total: number) {
    this.total = total;
    this.#free = total;
  }

  /** How many turns have ended up to now, and how long they took together. */
  get ended(): { readonly turns: number; readonly ms: number } {
    return this.#ended;
  }

  get free(): number {
    return this.#free;
  }

  /** A slot, when it is this caller's turn; rejects with the signal's reason when that is aborted first. */
  async acquire(signal: AbortSignal): Promise<Slot> {
    await this.take(1, signal);
    return new Slot(this);
  }

  /** The same, or undefined when it is not this caller's turn in time. */
  async acquireWithin(patienceMs: number, signal: AbortSignal): Promise<Slot | undefined> {
    const free = signal.aborted ? undefined : this.tryAcquire();
    if (free !== undefined) return free;
    using scope = abortScope(signal, patienceMs);
    try {
      return await this.acquire(scope.signal);
    } catch (error) {
      if (scope.timedOut) return undefined;
      throw error;
    }
  }

  /** A slot when one is free and nobody waits for it, else undefined. */
  tryAcquire(): Slot | undefined {
    if (this.#free === 0 || this.#waiters.length > 0) return undefined;
    this.#free -= 1;
    return new Slot(this);
  }

  take(weight: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const giveUp = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        this.#admit();
        reject(signal.reason);
      };
      const admit = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiter: Waiter = { weight, admit };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiters.push(waiter);
      this.#admit();
    });
  }

  noteTurn(ms: number): void {
    this.#ended = { turns: this.#ended.turns + 1, ms: this.#ended.ms + ms };
  }

  give(weight: number): void {
    this.#free += weight;
    this.#admit();
  }

  #admit(): void {
    for (let [first] = this.#waiters; first && first.weight <= this.#free; [first] = this.#waiters) {
      this.#waiters.shift();
      this.#free -= first.weight;
      first.admit();
    }
  }
}

/** One slot that is held until released; releasing twice is harmless. */
export class Slot implements HeldSlot {
  readonly #slots: FairSlots;
  #weight = 1;
  #lent = 0;
  #isReleased = false;

  constructor(slots: FairSlots) {
    this.#slots = slots;
  }

  /** What ran in it has ended, after so long. */
  endTurn(ms: number): void {
    this.release();
    this.#slots.noteTurn(ms);
  }

  /** For good: what is lent is not taken back after it. */
  release(): void {
    this.#isReleased = true;
    this.#give();
  }

  /** Holds the slot again if it was given away; exclusive: all slots, so that nothing runs beside the holder. */
  async hold({ exclusive, signal }: { exclusive: boolean; signal: AbortSignal }): Promise<void> {
    const weight = exclusive ? this.#slots.total : 1;
    if (weight !== this.#weight) await this.#takeAnew(weight, signal);
  }

  lend(): void {
    if (this.#weight > 0) this.#lent = this.#weight;
    this.#give();
  }

  async takeBack(signal: AbortSignal): Promise<void> {
    if (this.#weight === 0 && this.#lent > 0) await this.#takeAnew(this.#lent, signal);
  }

  #give(): void {
    const weight = this.#weight;
    this.#weight = 0;
    if (weight > 0) this.#slots.give(weight);
  }

  async #takeAnew(weight: number, signal: AbortSignal): Promise<void> {
    this.#give();
    await this.#slots.take(weight, signal);
    this.#weight = weight;
    if (this.#isReleased) this.#give();
  }
}

/** Foretells how many slots will be free. */
export class SlotOutlook {
  readonly #slots: FairSlots;
  readonly #monotonicMs: () => number;
  #lookedAtMs: number;
  #ended: FairSlots['ended'];

  constructor(slots: FairSlots, monotonicMs: () => number) {
    this.#slots = slots;
    this.#monotonicMs = monotonicMs;
    this.#lookedAtMs = monotonicMs();
    this.#ended = slots.ended;
  }

  /**
   * Slots that are taken now and free so many milliseconds from now, if turns end as fast as since the last look. Where they come
   * in waves, many end in one moment and the next have just begun: no more end than the time of a turn allows, either.
   */
  freeIn(ms: number): number {
    const { total, free, ended } = this.#slots;
    const atMs = this.#monotonicMs();
    const turns = ended.turns - this.#ended.turns;
    const perMs = turns / Math.max(1, atMs - this.#lookedAtMs);
    const turnMs = Math.max(ms, (ended.ms - this.#ended.ms) / Math.max(1, turns));
    this.#lookedAtMs = atMs;
    this.#ended = ended;
    return Math.floor(Math.min(perMs, (total - free) / turnMs) * ms);
  }
}

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
  readonly #queues = new Map<string, number>();
  readonly #coming = new Map<string, number>();
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
    add(this.#waiting, runId, change);
    this.#total += change;
  }

  /** Something of the run was claimed and waits for room; until it is disposed nothing more of the run is taken. */
  queue(runId: string): Disposable {
    return addUntilDisposed(this.#queues, runId, 1);
  }

  /** So many turns of the run are taken and about to begin, until it is disposed. */
  expect(runId: string, turns: number): Disposable {
    return addUntilDisposed(this.#coming, runId, turns);
  }

  /** When more of the run may be claimed. What is about to begin may have to wait, too; `soon`: nothing of it waits yet. */
  whenToTake(runId: string): 'now' | 'soon' | 'later' {
    if (!this.hasRoom(runId) || this.#queues.has(runId)) return 'later';
    const waiting = this.#waiting.get(runId) ?? 0;
    if (waiting + (this.#coming.get(runId) ?? 0) < this.#perRun) return 'now';
    return waiting === 0 ? 'soon' : 'later';
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

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function addUntilDisposed(counts: Map<string, number>, key: string, change: number): Disposable {
  add(counts, key, change);
  return { [Symbol.dispose]: () => add(counts, key, -change) };
}
