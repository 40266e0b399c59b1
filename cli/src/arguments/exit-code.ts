import { type GateWord, gateWord } from '@proofmark/domain/gate-word';

/** What a command ends with (docs/cli.md). */
export const exitCodes = { fine: 0, refusedByGate: 1, wrongUsage: 2, notJudged: 3, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What the gate needs to know of one suite run. */
export interface JudgedSuiteRun {
  /** Null for the baseline side of a comparison. */
  verdict: Parameters<typeof gateWord>[0] | null;
}

/** The exit code of a run: 1 when a suite run is refused, else 3 when one could not be judged, else 0. */
export function exitCodeOfRun(suiteRuns: readonly JudgedSuiteRun[], isInterrupted: boolean): ExitCode {
  if (isInterrupted) return exitCodes.interrupted;
  const found = suiteRuns.map(exitCodeOfSuiteRun);
  if (found.includes(exitCodes.refusedByGate)) return exitCodes.refusedByGate;
  return found.includes(exitCodes.notJudged) ? exitCodes.notJudged : exitCodes.fine;
}

const codes: Record<GateWord, ExitCode> = {
  accepted: exitCodes.fine,
  neutral: exitCodes.fine,
  refused: exitCodes.refusedByGate,
  'not judged': exitCodes.notJudged,
};

const exitCodeOfSuiteRun = ({ verdict }: JudgedSuiteRun): ExitCode =>
  verdict === null ? exitCodes.fine : codes[gateWord(verdict)];
