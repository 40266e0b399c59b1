import { nextProgress, type TestRunProgress, type TestRunProgressEvent } from '@proofmark/domain/test-run-progress';

/** Tells how far a test run has come. A jump that its lifecycle does not have is not told. */
export class ProgressTeller {
  #progress: TestRunProgress = 'PENDING';
  readonly #tell: ((progress: TestRunProgress) => void) | undefined;

  constructor(tell: ((progress: TestRunProgress) => void) | undefined) {
    this.#tell = tell;
  }

  on(event: TestRunProgressEvent | undefined): void {
    const next = event && nextProgress(this.#progress, event);
    if (next === undefined) return;
    this.#progress = next;
    this.#tell?.(next);
  }
}
