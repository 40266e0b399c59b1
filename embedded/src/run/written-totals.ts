import type { SuiteRunTotals } from './finish-suite-run.ts';

/** The counts as files and answers have them: an error counts as failed too, and `errored` says how many of them (C08). */
export const writtenTotals = ({ passed, failed, errored, skipped }: SuiteRunTotals): SuiteRunTotals => ({
  passed,
  failed: failed + errored,
  errored,
  skipped,
});
