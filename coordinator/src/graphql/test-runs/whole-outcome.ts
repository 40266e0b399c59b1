import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestRunView } from './test-run-view.ts';

/** A row of an executed test run, as far as it belongs to its outcome. */
export type OutcomeRow = Omit<
  TestRunView,
  'id' | 'suiteRunId' | 'instrumentHash' | 'position' | 'status' | 'errorKind'
> &
  Pick<CaseOutcome, 'status' | 'errorKind'>;

/** An outcome as the runner sent it: out of the columns of its row and of what is stored beside them. */
export function wholeOutcome(row: OutcomeRow, beside: Partial<CaseOutcome> | null): CaseOutcome {
  const { status, errorKind, errorMessage, degraded, truncated, response, checks, toolCalls, metrics } = row;
  const { model, costUsd, latencyMs, retryCount } = row;
  return {
    tools: { matched: row.toolsMatched, problems: [] },
    ...{ transcript: [], usage: null, flags: [], files: [], outcomes: null, metricDetails: [] },
    ...beside,
    ...{ status, errorKind, errorMessage, degraded, truncated, response, checks, toolCalls, metrics },
    ...{ model, costUsd, latencyMs, retryCount },
    testInput: row.testInput ?? '',
    executionTimeMs: row.executionTimeMs ?? 0,
    startedAt: new Date(row.startedAt ?? 0).toISOString(),
  };
}
