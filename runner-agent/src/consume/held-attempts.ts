import type { ChunkRef, PlacesRef } from '@proofmark/contracts/control-messages';

/** A test run of a claimed chunk that is not answered yet. */
export interface HeldAttempt extends ChunkRef {
  /** Its place in the chunk. */
  readonly at: number;
  readonly testRunId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly solo: boolean;
  readonly signal: AbortSignal;
}

/** One place of a chunk. */
export type PlaceRef = ChunkRef & { at: number };

interface Entry {
  attempt: HeldAttempt;
  controller: AbortController;
  hasBegun: boolean;
}

/** What this process runs at the moment or is about to, and the only way to end it early. */
export class HeldAttempts {
  readonly #held = new Map<string, Entry>();
  #whenEmpty: (() => void)[] = [];

  get size(): number {
    return this.#held.size;
  }

  get places(): PlacesRef[] {
    return placesOf([...this.#held.values()].map(({ attempt }) => attempt));
  }

  /** Those that have not begun. */
  get waiting(): PlacesRef[] {
    return placesOf([...this.#held.values()].filter(({ hasBegun }) => !hasBegun).map(({ attempt }) => attempt));
  }

  add(attempt: Omit<HeldAttempt, 'signal'>): HeldAttempt {
    const controller = new AbortController();
    const held = { ...attempt, signal: controller.signal };
    this.#held.set(keyOf(held), { attempt: held, controller, hasBegun: false });
    return held;
  }

  begin(ref: PlaceRef): void {
    const entry = this.#held.get(keyOf(ref));
    if (entry) entry.hasBegun = true;
  }

  remove(ref: PlaceRef): void {
    this.#held.delete(keyOf(ref));
    if (this.#held.size > 0) return;
    for (const tell of this.#whenEmpty.splice(0)) tell();
  }

  /** Aborts the calls in flight of every attempt for which `applies` is true. They leave the list at once: they are given up. */
  abort(applies: (attempt: HeldAttempt, hasBegun: boolean) => boolean, reason: string): number {
    const doomed = [...this.#held.values()].filter(({ attempt, hasBegun }) => applies(attempt, hasBegun));
    for (const { attempt, controller } of doomed) {
      controller.abort(new Error(reason));
      this.remove(attempt);
    }
    return doomed.length;
  }

  async whenEmpty(): Promise<void> {
    if (this.#held.size === 0) return;
    await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }
}

const keyOf = ({ chunkId, at, attempt }: PlaceRef): string => `${chunkId}:${at}:${attempt}`;

/** The same, each chunk named once. */
export function placesOf(places: readonly PlaceRef[]): PlacesRef[] {
  const chunks = new Map<string, PlacesRef>();
  for (const { tenantId, chunkId, attempt, at } of places) {
    const key = `${chunkId}:${attempt}`;
    const chunk = chunks.get(key) ?? { tenantId, chunkId, attempt, at: [] };
    chunk.at.push(at);
    chunks.set(key, chunk);
  }
  return [...chunks.values()];
}
