import type { AttemptRef } from '@proofmark/contracts/control-messages';

/** A test run that this process has claimed and not yet answered. */
export interface HeldAttempt extends AttemptRef {
  readonly tenantId: string;
  readonly runId: string;
  readonly suiteRunId: string;
  readonly sessionId: string;
  readonly solo: boolean;
  readonly signal: AbortSignal;
}

/** What this process runs at the moment, and the only way to end it early. */
export class HeldAttempts {
  readonly #held = new Map<string, { attempt: HeldAttempt; controller: AbortController }>();
  #whenEmpty: (() => void)[] = [];

  get size(): number {
    return this.#held.size;
  }

  get refs(): AttemptRef[] {
    return [...this.#held.values()].map(({ attempt: { testRunId, attempt } }) => ({ testRunId, attempt }));
  }

  add(attempt: Omit<HeldAttempt, 'signal'>): HeldAttempt {
    const controller = new AbortController();
    const held = { ...attempt, signal: controller.signal };
    this.#held.set(keyOf(held), { attempt: held, controller });
    return held;
  }

  remove(ref: AttemptRef): void {
    this.#held.delete(keyOf(ref));
    if (this.#held.size > 0) return;
    for (const tell of this.#whenEmpty.splice(0)) tell();
  }

  /** Aborts the calls in flight of every attempt for which `applies` is true. They leave the list at once: they are given up. */
  abort(applies: (attempt: HeldAttempt) => boolean, reason: string): number {
    const doomed = [...this.#held.values()].filter(({ attempt }) => applies(attempt));
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

const keyOf = ({ testRunId, attempt }: AttemptRef): string => `${testRunId}:${attempt}`;
