import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import { totalCostUsd } from '@proofmark/domain/totals';
import { type RawBuilder, sql } from 'kysely';
import type { PayloadOutcome } from '../database/entities/test-case-result.ts';
import type { Columns } from '../database/unnest.ts';

/** One result with the identity that its message claims for it. */
export interface IncomingResult {
  /** Its place in the messages that came together. */
  message: number;
  tenantId: string;
  runId: string;
  sessionId: string;
  chunkId: string;
  at: number;
  attempt: number;
  outcome: CaseOutcome;
}

export function flattenMessage(
  { tenantId, runId, sessionId, results }: ResultMessage,
  message: number,
): IncomingResult[] {
  return results.map((result) => ({ message, tenantId, runId, sessionId, ...result }));
}

const largestInt = 2_147_483_647;
const count = (value: number | undefined | null): number | null =>
  value === undefined || value === null ? null : Math.min(value, largestInt);

/** A result with the test run that the ledger found for it. */
type Known = IncomingResult & { testRunId: string };

export const keyColumns = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  test_run_id: { type: 'uuid', of: ({ testRunId }) => testRunId },
  attempt: { type: 'int4', of: ({ attempt }) => attempt },
} satisfies Columns<Known>;

/** A result as the columns that `test_case_results` has for it. */
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
  adjustments: { type: 'jsonb', of: ({ outcome }) => outcome.adjustments },
  duration_ms: { type: 'int4', of: ({ outcome }) => count(outcome.executionTimeMs) },
  latency_ms: { type: 'float8', of: ({ outcome }) => outcome.latencyMs },
  prompt_tokens: { type: 'int4', of: ({ outcome }) => count(outcome.usage?.promptTokens) },
  completion_tokens: { type: 'int4', of: ({ outcome }) => count(outcome.usage?.completionTokens) },
  cost_usd: { type: 'float8', of: ({ outcome }) => outcome.costUsd },
  spent_usd: { type: 'float8', of: ({ outcome }) => totalCostUsd(outcome) },
  model: { type: 'text', of: ({ outcome }) => outcome.model },
  retry_count: { type: 'int4', of: ({ outcome }) => count(outcome.retryCount) },
  started_at: { type: 'timestamptz', of: ({ outcome }) => outcome.startedAt },
  // All that has no column: what a later version adds to outcomes is kept without a change here.
  payload: { type: 'json', of: ({ outcome }) => ({ ...outcome, ...inColumns }) },
};

/** What is noted of one that came too late. */
export const usageColumns: Columns<Known> = {
  ...keyColumns,
  session_id: { type: 'uuid', of: ({ sessionId }) => sessionId },
  prompt_tokens: { type: 'int4', of: ({ outcome }) => count(outcome.usage?.promptTokens) },
  completion_tokens: { type: 'int4', of: ({ outcome }) => count(outcome.usage?.completionTokens) },
  cost_usd: { type: 'float8', of: ({ outcome }) => totalCostUsd(outcome) },
};

/** What has a column of its own: JSON leaves out what is undefined. */
const inColumns = {
  status: undefined,
  errorKind: undefined,
  errorMessage: undefined,
  degraded: undefined,
  truncated: undefined,
  testInput: undefined,
  response: undefined,
  checks: undefined,
  toolCalls: undefined,
  metrics: undefined,
  executionTimeMs: undefined,
  latencyMs: undefined,
  costUsd: undefined,
  model: undefined,
  retryCount: undefined,
  startedAt: undefined,
} satisfies Record<Exclude<keyof CaseOutcome, keyof PayloadOutcome>, undefined>;

/** SQL: the payload of the result `on`; null for what was decided without a runner. */
export const storedPayload = (on: string): RawBuilder<PayloadOutcome | null> => sql`${sql.ref(`${on}.payload`)}::jsonb`;

/** An error without a kind is a broken measurement; a kind without an error is noise. */
function errorKindOf({ status, errorKind }: CaseOutcome): string | null {
  if (status !== 'error') return null;
  return errorKind ?? 'lost';
}
