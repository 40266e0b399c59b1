import { type TrySignal, waitAside } from './try-scope.ts';

/** What a case needs to run: one of the slots of its process, or all of them. */
export interface HeldSlot {
  /** Lets others use it. Harmless when they do already. */
  lend(): void;
  /** Has it again, when it is this one's turn; rejects with the signal's reason. */
  takeBack(signal: AbortSignal): Promise<void>;
}

/** How a case waits for its turn to call. */
export interface Place {
  /** Something of the case begins to run; disposed when it ends. */
  enter(signal: AbortSignal): Disposable | Promise<Disposable>;
  /** Waits without a slot, if nothing else of the case runs meanwhile, and has it again afterwards. */
  aside<T>(wait: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const nothing: Disposable = { [Symbol.dispose]: () => undefined };

/** The place of a case that nobody waits for: it is waited as anywhere. */
export const anyPlace: Place = {
  enter: () => nothing,
  aside: (wait) => wait(),
};

/** The place of a try inside another one: what it waits is waited by the outer one. */
export const placeWithin = (outer: TrySignal): Place => ({
  enter: (signal) => anyPlace.enter(signal),
  aside: (wait) => waitAside(outer, wait),
});

/**
 * The place of a case among those of its process. Several calls of one case may be under way (a panel of judges); its slot
 * is lent while all of them wait, and taken back before the first one goes on.
 */
export class CasePlace implements Place, Disposable {
  readonly #slot: HeldSlot;
  readonly #told: (waits: boolean) => void;
  /** Something of the case that runs; each one that begins ends once. */
  readonly #branch: Disposable = { [Symbol.dispose]: () => this.#end() };
  #running = 0;
  #waiting = 0;
  #isAway = false;
  #back: Promise<void> | undefined;

  /** `told` hears when the case begins to wait without its slot, and when it is back or ends. */
  constructor(slot: HeldSlot, told: (waits: boolean) => void = () => undefined) {
    this.#slot = slot;
    this.#told = told;
  }

  enter(signal: AbortSignal): Disposable | Promise<Disposable> {
    this.#running += 1;
    return this.#isAway ? this.#enterBack(signal) : this.#branch;
  }

  async #enterBack(signal: AbortSignal): Promise<Disposable> {
    try {
      await this.#comeBack(signal);
    } catch (error) {
      this.#end();
      throw error;
    }
    return this.#branch;
  }

  #end(): void {
    this.#running -= 1;
    this.#leaveIfIdle();
  }

  async aside<T>(wait: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#waiting += 1;
    this.#leaveIfIdle();
    try {
      return await wait();
    } finally {
      this.#waiting -= 1;
      // Whoever was aborted goes home, and needs no slot for it.
      if (signal.aborted) this.#isBack();
      else await this.#comeBack(signal);
    }
  }

  /** The case has ended, however it did. */
  [Symbol.dispose](): void {
    this.#isBack();
  }

  #leaveIfIdle(): void {
    if (this.#isAway || this.#waiting === 0 || this.#waiting < this.#running) return;
    this.#isAway = true;
    this.#slot.lend();
    this.#told(true);
  }

  async #comeBack(signal: AbortSignal): Promise<void> {
    if (!this.#isAway) return;
    this.#back ??= this.#slot.takeBack(signal).finally(() => {
      this.#back = undefined;
      this.#isBack();
    });
    await this.#back;
  }

  #isBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#told(false);
  }
}
