import type {
  Adjustment,
  CaseOutcome,
  CheckResult,
  MeasuringCost,
  MetricResult,
  OutcomesVerdict,
  ToolCall,
} from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { sanitizeForStorage, truncateResponse } from '@proofmark/domain/kept-text';
import { costUsd } from '../judge/meter-models.ts';
import type { CaseContext, CaseState } from './case-state.ts';
import { nothingSpent, unpaid } from './recall.ts';

export interface Judged {
  error: { kind: CaseOutcome['errorKind']; message: string } | null;
  toolsMatched: boolean | null;
  /** The `expected_behavior` block and the outcomes, where there are any. */
  verdicts: readonly CheckResult['status'][];
  checks: readonly Pick<CheckResult, 'status' | 'error'>[];
  metrics: readonly (Pick<MetricResult, 'metric_name' | 'passed' | 'error'> & { failOnError: boolean })[];
}

type Status = Pick<CaseOutcome, 'status' | 'errorKind' | 'errorMessage' | 'degraded'>;

/**
 * The status of a test run. An execution error decides alone, but a judge that was too slow or broke does not undo what has
 * failed already; a metric that errored counts only where it was told to.
 */
export function decideStatus({ error, toolsMatched, verdicts, checks, metrics }: Judged): Status {
  const failedMetric = metrics.some((metric) => metric.error === null && !metric.passed);
  const hasFailed = toolsMatched === false || verdicts.includes('fail') || failedMetric;
  if (error && !(error.kind === 'judge' && hasFailed)) {
    return { status: 'error', errorKind: error.kind, errorMessage: error.message, degraded: false };
  }
  const errored = metrics.filter((metric) => metric.error !== null);
  if (isUnjudged({ toolsMatched, verdicts, checks, metrics }))
    return { status: 'error', errorKind: 'judge', errorMessage: allSkipped, degraded: false };
  const degraded = error !== null || errored.length > 0 || checks.some((check) => check.status === 'error');
  if (hasFailed) return decided('failed', degraded);
  const unjudged = judgeError({ verdicts, checks, metrics, errored });
  if (unjudged !== undefined) return { status: 'error', errorKind: 'judge', errorMessage: unjudged, degraded };
  return decided('passed', degraded);
}

const allSkipped = 'Every check was skipped, so nothing judged the answer';

/** Checks that all had nothing to judge leave nobody who did. */
const isUnjudged = ({ toolsMatched, verdicts, checks, metrics }: Omit<Judged, 'error'>): boolean =>
  toolsMatched === null &&
  checks.length > 0 &&
  metrics.length === 0 &&
  verdicts.every((verdict) => verdict === 'skip') &&
  verdicts.length > 0;

function decided(status: 'passed' | 'failed', degraded: boolean): Status {
  return { status, errorKind: null, errorMessage: null, degraded };
}

/** Why nothing can be concluded, or undefined when something can. */
function judgeError({
  verdicts,
  checks,
  metrics,
  errored,
}: Pick<Judged, 'verdicts' | 'checks' | 'metrics'> & { errored: Judged['metrics'] }): string | undefined {
  if (verdicts.includes('error'))
    return checks.find((check) => check.error !== null)?.error ?? 'A check could not be evaluated';
  const decisive =
    errored.find((metric) => metric.failOnError) ?? (errored.length === metrics.length ? errored[0] : undefined);
  return decisive && `Metric ${decisive.metric_name}: ${decisive.error}`;
}

const reasoningCharacters = 4_000;

/** What is known of a test run beside its state. */
interface Ending {
  startedAt: Date;
  executionTimeMs: number;
  measuring: readonly MeasuringCost[];
  /** What models refused, so that they were asked in another way. */
  adjustments: readonly Adjustment[];
}

/** The outcome as it is stored: status decided, cost computed, long texts cut, and nothing in it that Postgres refuses. */
export function finishOutcome(
  state: CaseState,
  { work, tools }: Pick<CaseContext, 'work' | 'tools'>,
  { startedAt, executionTimeMs, measuring, adjustments }: Ending,
): CaseOutcome {
  const { status, errorKind, errorMessage, degraded } = statusOf(state, work);
  const response = state.response === null ? null : truncateResponse(state.response);
  const toolCalls = state.toolCalls.map(cutResult);
  const isCut = toolCalls.some((call, at) => call !== state.toolCalls[at]);
  const { mockUse } = tools;
  const outcome: CaseOutcome = {
    // What is always there stands first and by name: an object that grows key by key behind a spread costs 0.8 KB more.
    status,
    errorKind,
    errorMessage,
    degraded,
    testInput: state.testInput,
    files: [...state.files],
    response: response?.text ?? null,
    truncated: response?.isTruncated ?? false,
    checks: state.checks.map(cutReasoning),
    toolCalls,
    tools: state.tools,
    metrics: [...state.metrics],
    metricDetails: [...state.metricDetails],
    outcomes: state.outcomes,
    // Whole: what was said is what somebody judges again.
    transcript: [...state.transcript],
    model: state.model,
    usage: state.usage,
    costUsd: state.toldCostUsd ?? costUsd(state.usage, work.model),
    latencyMs: state.latencyMs,
    executionTimeMs: Math.max(0, Math.round(executionTimeMs)),
    retryCount: state.retryCount,
    startedAt: startedAt.toISOString(),
    flags: [...new Set([...state.flags, ...tools.flags, ...(isCut ? ['evidence_cut'] : [])])],
    ...(state.conversation && { conversation: state.conversation }),
    ...(mockUse && { mocks: mockUse }),
    ...(measuring.length > 0 && { measuring: [...measuring] }),
    ...(adjustments.length > 0 && { adjustments: [...adjustments] }),
    ...(work.recorded && onlyJudged(state)),
  };
  const storable = sanitizeForStorage(outcome);
  return storable.replaced ? { ...storable.value, flags: [...storable.value.flags, 'text_replaced'] } : storable.value;
}

/** Whoever spoke was paid for when it was said. */
const onlyJudged = ({ conversation }: CaseState) => ({
  ...nothingSpent,
  ...(conversation && { conversation: unpaid(conversation) }),
});

/** How the test run would end if nothing were added to the state. */
export function statusOf(state: CaseState, { instrument }: CaseWork): Status {
  const configured = instrument.evaluations?.metrics ?? [];
  const outcomes = state.outcomes && asCheck(state.outcomes);
  return decideStatus({
    error: state.error,
    toolsMatched: state.tools.matched,
    verdicts: [state.behavior, outcomes?.status ?? null].filter((verdict) => verdict !== null),
    checks: outcomes === null ? state.checks : [...state.checks, outcomes],
    metrics: state.metrics.map((metric) => ({
      ...metric,
      failOnError: configured.some((one) => one.fail_on_error && one.metric === metric.metric_name),
    })),
  });
}

function asCheck({ passed, error }: OutcomesVerdict): Pick<CheckResult, 'status' | 'error'> {
  if (passed === null) return { status: 'error', error: error ?? 'The outcomes could not be judged' };
  return { status: passed ? 'pass' : 'fail', error: null };
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
