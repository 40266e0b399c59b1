/** Finished cases of a run; errors are among the rest of `total`. */
export type CaseTotals = {
  readonly passed: number;
  readonly total: number;
  readonly skipped: number;
};

/** Percent 0–100 of the executed cases that passed; null when nothing was executed. */
export function passRate({ passed, total, skipped }: CaseTotals): number | null {
  const executed = total - skipped;
  return executed > 0 ? (passed / executed) * 100 : null;
}
