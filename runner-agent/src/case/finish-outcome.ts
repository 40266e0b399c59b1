import type { CaseOutcome, CheckResult, ToolCall } from '@proofmark/contracts/case-outcome';
import { truncateResponse } from '@proofmark/domain/truncate-response';
import { sanitizeForStorage } from '../sanitize-for-storage.ts';
import type { CaseContext, CaseState } from './case-state.ts';
import { costUsd } from './cost-usd.ts';
import { decideStatus } from './decide-status.ts';

const reasoningCharacters = 4_000;

/** The outcome as it is stored: status decided, cost computed, long texts cut, and nothing in it that Postgres refuses. */
export function finishOutcome(
  state: CaseState,
  { work, tools }: Pick<CaseContext, 'work' | 'tools'>,
  times: { startedAt: Date; executionTimeMs: number },
): CaseOutcome {
  const response = state.response === null ? null : truncateResponse(state.response);
  const outcome: CaseOutcome = {
    ...statusOf(state, work.instrument.evaluations?.metrics ?? []),
    testInput: state.testInput,
    response: response?.text ?? null,
    truncated: response?.isTruncated ?? false,
    checks: state.checks.map(cutReasoning),
    toolCalls: state.toolCalls.map(cutResult),
    tools: state.tools,
    metrics: [...state.metrics],
    metricDetails: [],
    outcomes: null,
    transcript: state.transcript.map((turn) => ({ ...turn, text: truncateResponse(turn.text).text })),
    ...(tools.mockUse && { mocks: tools.mockUse }),
    model: state.model,
    usage: state.usage,
    costUsd: costUsd(state.usage, work.model),
    latencyMs: state.latencyMs,
    executionTimeMs: Math.max(0, Math.round(times.executionTimeMs)),
    retryCount: state.retryCount,
    startedAt: times.startedAt.toISOString(),
    flags: [...new Set([...state.flags, ...tools.flags])],
  };
  const storable = sanitizeForStorage(outcome);
  return storable.replaced ? { ...storable.value, flags: [...storable.value.flags, 'text_replaced'] } : storable.value;
}

function statusOf(state: CaseState, configured: readonly { metric: string; fail_on_error: boolean }[]) {
  const mustNotFail = new Set(configured.filter((metric) => metric.fail_on_error).map((metric) => metric.metric));
  return decideStatus({
    error: state.error,
    toolsMatched: state.tools.matched,
    verdicts: state.behavior === null ? [] : [state.behavior],
    checks: state.checks,
    metrics: state.metrics.map((metric) => ({ ...metric, failOnError: mustNotFail.has(metric.metric_name) })),
  });
}

function cutReasoning(check: CheckResult): CheckResult {
  const { reasoning } = check.details;
  if (reasoning === undefined) return check;
  return { ...check, details: { ...check.details, reasoning: truncateResponse(reasoning, reasoningCharacters).text } };
}

function cutResult(call: ToolCall): ToolCall {
  const text = typeof call.result === 'string' ? call.result : JSON.stringify(call.result);
  const cut = truncateResponse(text);
  return cut.isTruncated ? { ...call, result: cut.text } : call;
}
