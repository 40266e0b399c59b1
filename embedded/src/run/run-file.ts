import type { RunRequest } from '@proofmark/domain/plan-run';
import type { EndedSuiteRun, SuiteRunTotals } from './finish-suite-run.ts';

interface Facts {
  runId: string;
  request: RunRequest;
  runSeed: string;
  version: string;
  environment: Readonly<Record<string, string>>;
  /** The run whose answers were judged. */
  rescoring?: { runId: string };
  signal: AbortSignal;
}

/** What the folder of the run says about the run as a whole. */
export function runFile(
  { runId, request, runSeed, version, environment, rescoring, signal }: Facts,
  suiteRuns: readonly EndedSuiteRun[],
) {
  return {
    run_id: runId,
    finished_at: new Date().toISOString(),
    is_interrupted: signal.aborted,
    proofmark_version: version,
    environment,
    run_seed: runSeed,
    ...(rescoring === undefined ? {} : { rescored_from: rescoring.runId }),
    request,
    suite_runs: suiteRunEntries(suiteRuns),
  };
}

/** What the file of a run says about each of its suite runs. */
export function suiteRunEntries(suiteRuns: readonly EndedSuiteRun[]) {
  return suiteRuns.map(({ suiteName, suitePath, cellKey, variant, totals, report, verdict, costUsd }) => ({
    suite: suiteName,
    suite_path: suitePath,
    cell: cellKey,
    variant,
    ...writtenTotals(totals),
    pass_rate: report.ok ? report.summary.pass_rate : null,
    report: report.ok ? report.path : null,
    cost_usd: costUsd,
    verdict,
  }));
}

/** The counts as files and answers have them: an error counts as failed too, and `errored` says how many of them (C08). */
export const writtenTotals = ({ passed, failed, errored, skipped }: SuiteRunTotals): SuiteRunTotals => ({
  passed,
  failed: failed + errored,
  errored,
  skipped,
});
