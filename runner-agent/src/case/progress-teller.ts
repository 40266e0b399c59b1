import type { ProgressStep } from '@proofmark/contracts/case-outcome';
import { nextProgress, type TestRunProgress, type TestRunProgressEvent } from '@proofmark/domain/lifecycle';

/** Notes and tells how far a test run has come. A jump that its lifecycle does not have is neither noted nor told. */
export class ProgressTeller {
  readonly #elapsedMs: () => number;
  readonly #tell: ((progress: TestRunProgress) => void) | undefined;
  readonly #steps: ProgressStep[] = [{ state: 'PENDING', atMs: 0 }];

  constructor(elapsedMs: () => number, tell: ((progress: TestRunProgress) => void) | undefined) {
    this.#elapsedMs = elapsedMs;
    this.#tell = tell;
  }

  on(event: TestRunProgressEvent | undefined): void {
    const state = event && nextProgress(this.#steps.at(-1)?.state ?? 'PENDING', event);
    if (state === undefined) return;
    // Tenths of a millisecond: more digits are noise, and every result has these.
    this.#steps.push({ state, atMs: Math.max(0, Math.round(this.#elapsedMs() * 10) / 10) });
    this.#tell?.(state);
  }

  /** Every state so far, the first one included. */
  get steps(): ProgressStep[] {
    return [...this.#steps];
  }
}
