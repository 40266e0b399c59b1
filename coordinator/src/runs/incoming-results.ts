import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import type { Columns } from '../database/unnest.ts';

/** One result with the identity that its message claims for it. */
export interface IncomingResult {
  tenantId: string;
  runId: string;
  sessionId: string;
  suiteRunId: string;
  testRunId: string;
  attempt: number;
  outcome: CaseOutcome;
}

export function flattenMessages(messages: readonly ResultMessage[]): IncomingResult[] {
  return messages.flatMap(({ tenantId, runId, sessionId, results }) =>
    results.map((result) => ({ tenantId, runId, sessionId, ...result })),
  );
}

const largestInt = 2_147_483_647;
const count = (value: number | undefined | null): number | null =>
  value === undefined || value === null ? null : Math.min(value, largestInt);

/** A result as the columns of a batch; those from `status` on have the names that they have in `test_case_results`. */
export const identityColumns: Columns<IncomingResult> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  run_id: { type: 'uuid', of: ({ runId }) => runId },
  suite_run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  test_run_id: { type: 'uuid', of: ({ testRunId }) => testRunId },
  attempt: { type: 'int4', of: ({ attempt }) => attempt },
  session_id: { type: 'uuid', of: ({ sessionId }) => sessionId },
};

export const outcomeColumns: Columns<IncomingResult> = {
  status: { type: 'text', of: ({ outcome }) => outcome.status },
  error_kind: { type: 'text', of: ({ outcome }) => errorKindOf(outcome) },
  error_message: { type: 'text', of: ({ outcome }) => outcome.errorMessage },
  degraded: { type: 'bool', of: ({ outcome }) => outcome.degraded },
  truncated: { type: 'bool', of: ({ outcome }) => outcome.truncated },
  test_input: { type: 'text', of: ({ outcome }) => outcome.testInput },
  actual_response: { type: 'text', of: ({ outcome }) => outcome.response },
  check_results: { type: 'jsonb', of: ({ outcome }) => outcome.checks },
  tool_calls: { type: 'jsonb', of: ({ outcome }) => outcome.toolCalls },
  tools_matched: { type: 'bool', of: ({ outcome }) => outcome.tools.matched },
  metric_results: { type: 'jsonb', of: ({ outcome }) => outcome.metrics },
  duration_ms: { type: 'int4', of: ({ outcome }) => count(outcome.executionTimeMs) },
  latency_ms: { type: 'float8', of: ({ outcome }) => outcome.latencyMs },
  prompt_tokens: { type: 'int4', of: ({ outcome }) => count(outcome.usage?.promptTokens) },
  completion_tokens: { type: 'int4', of: ({ outcome }) => count(outcome.usage?.completionTokens) },
  cost_usd: { type: 'float8', of: ({ outcome }) => outcome.costUsd },
  model: { type: 'text', of: ({ outcome }) => outcome.model },
  retry_count: { type: 'int4', of: ({ outcome }) => count(outcome.retryCount) },
  started_at: { type: 'timestamptz', of: ({ outcome }) => outcome.startedAt },
};

export const payloadColumns: Columns<IncomingResult> = {
  payload: {
    type: 'jsonb',
    of: ({ outcome: { transcript, tools, usage, flags, outcomes, metricDetails } }) => ({
      transcript,
      tools,
      usage,
      flags,
      ...(outcomes ? { outcomes } : {}),
      ...(metricDetails.length > 0 ? { metricDetails } : {}),
    }),
  },
};

/** An error without a kind is a broken measurement; a kind without an error is noise. */
function errorKindOf({ status, errorKind }: CaseOutcome): string | null {
  if (status !== 'error') return null;
  return errorKind ?? 'lost';
}
