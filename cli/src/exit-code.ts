import type { Verdict } from '@proofmark/contracts/verdict';

/** What a command ends with (DESIGN, section 5). */
export const exitCodes = { fine: 0, refusedByGate: 1, wrongUsage: 2, notJudged: 3, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What the gate needs to know of one suite run. */
export interface JudgedSuiteRun {
  /** Null for the baseline side of a comparison. */
  verdict: Pick<Verdict, 'word' | 'conclusion' | 'cases' | 'settings' | 'judge'> | null;
  totals: { failed: number; skipped: number };
  isCutByBudget: boolean;
}

/**
 * The exit code of a run: 1 when a suite run is refused, else 3 when one could not be judged, else 0. Without a baseline
 * and without a `min_pass_rate` every failed test run is a refusal: nothing else could tell that something is wrong. What
 * a judge says that agrees too little with people refuses nothing.
 */
export function exitCodeOfRun(suiteRuns: readonly JudgedSuiteRun[], isInterrupted: boolean): ExitCode {
  if (isInterrupted) return exitCodes.interrupted;
  const codes = suiteRuns.map(exitCodeOfSuiteRun);
  if (codes.includes(exitCodes.refusedByGate)) return exitCodes.refusedByGate;
  return codes.includes(exitCodes.notJudged) ? exitCodes.notJudged : exitCodes.fine;
}

export function exitCodeOfSuiteRun({ verdict, isCutByBudget }: JudgedSuiteRun): ExitCode {
  if (verdict === null) return exitCodes.fine;
  if (verdict.word === 'error') return exitCodes.notJudged;
  if (verdict.conclusion === 'failure') return exitCodes.refusedByGate;
  const counts = verdict.cases.flatMap(({ head }) => head ?? []);
  const hasFailed = counts.some(({ failed, errored }) => failed + errored > 0);
  const isUngated = verdict.word === 'no-baseline' && verdict.settings.gate.min_pass_rate === undefined;
  if (isUngated && hasFailed && verdict.judge?.isWeak !== true) return exitCodes.refusedByGate;
  return isCutByBudget || counts.some(({ invalid }) => invalid > 0) ? exitCodes.notJudged : exitCodes.fine;
}
