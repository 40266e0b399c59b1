/** The same numbers for the same seed. */
export function dice(seed: number): () => number {
  let state = (seed + 1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Timer {
  atMs: number;
  order: number;
  act: () => void;
}

/** Time that passes from one appointment to the next, those of the same moment in the order in which they were made. */
export class Clock {
  nowMs = 0;
  readonly #heap: Timer[] = [];
  #order = 0;

  at(atMs: number, act: () => void): void {
    const heap = this.#heap;
    let child = heap.length;
    heap.push({ atMs, order: this.#order++, act });
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Whether there was an appointment left. */
  step(): boolean {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return false;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    this.nowMs = first.atMs;
    first.act();
    return true;
  }

  #sink(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      let least = parent;
      if (this.#isBefore(left, least)) least = left;
      if (this.#isBefore(left + 1, least)) least = left + 1;
      if (least === parent) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return false;
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
