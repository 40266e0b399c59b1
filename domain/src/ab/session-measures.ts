import type { ABSession } from '@proofmark/contracts/ab-session';
import { compareResponses } from './compare-responses.ts';
import { successRate } from './success-rate.ts';

/** What can be computed from a session (seed 003). */
export interface SessionMeasures {
  duration_ms: number;
  test_count: number;
  /** Share of questions that both sides answered, 0–1; 0 without questions. */
  success_rate: number;
}

/** A session that is still open has lasted until `nowMs`. */
export function measureSession(session: ABSession, nowMs: number): SessionMeasures {
  const endMs = session.end_time === null ? nowMs : Date.parse(session.end_time);
  const successful = session.results.filter(
    ({ baseline, candidate }) => compareResponses(baseline, candidate).both_successful,
  ).length;
  return {
    duration_ms: endMs - Date.parse(session.start_time),
    test_count: session.results.length,
    success_rate: successRate({ successful, failed: session.results.length - successful }),
  };
}
