import type { ABSession } from '@proofmark/contracts/ab-session';
import type { ExecutionStats } from '@proofmark/contracts/execution-stats';
import { statsDocument } from '@proofmark/domain/execution-stats';
import { sessionDocument } from '@proofmark/domain/session-files';
import { measureSession, summarizeSession } from '@proofmark/domain/summarize-session';
import { type ExitCode, exitCodes } from './exit-code.ts';

/** The JSON answer about a session: its file, and what can be computed from it. */
export const sessionAnswer = (session: ABSession, stats: ExecutionStats, nowMs: number): object => ({
  ...sessionDocument(session),
  ...measureSession(session, nowMs),
  execution_stats: statsDocument(stats),
  ...differences(session),
});

/** How much the sides differ on questions that both answered, and how sure that is. */
function differences(session: ABSession) {
  const { compared, tokens, latencyMs, judged } = summarizeSession(session);
  const { questions, losses, wins, midp } = judged;
  return { differences: { compared, tokens, latency_ms: latencyMs, judged: { questions, losses, wins, midp } } };
}

/** A comparison has no gate: 0 when both sides answered everything, 3 when an answer is missing. */
export function exitCodeOfSession({ results }: ABSession, { isInterrupted }: { isInterrupted: boolean }): ExitCode {
  if (isInterrupted) return exitCodes.interrupted;
  const isWhole = results.every(({ baseline, candidate }) => baseline.error === null && candidate.error === null);
  return isWhole ? exitCodes.fine : exitCodes.notJudged;
}
