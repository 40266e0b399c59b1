import { type GateWord, gateWord } from '@proofmark/domain/gate-word';
import { plain } from '../output/terminal.ts';

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

/**
 * The end of a command that threw. A folder that cannot be written or read is the user's to repair, and so is a full disk, whose
 * error names no path; anything else is a fault of ours, with its trace.
 */
export function endOfThrown(error: unknown): { code: ExitCode; words: string } {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
    return { code: exitCodes.notJudged, words: `proofmark: ${plain(error.message)}\n` };
  if (error instanceof Error && 'syscall' in error && 'path' in error)
    return { code: exitCodes.wrongUsage, words: `proofmark: ${plain(error.message)}\n` };
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: exitCodes.notJudged, words: `proofmark failed, which it should not: ${trace}\n` };
}
