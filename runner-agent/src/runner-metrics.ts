import type { CaseOutcome, TokenUsage } from '@proofmark/contracts/case-outcome';
import type { MetricLabels } from '@proofmark/process/metric-list';
import type { ProcessMetrics } from '@proofmark/process/process-metrics';
import type { RunnerStatus } from './consume/runner.ts';
import type { CallResult, ModelPort } from './models/model-port.ts';
import type { CallFailure, ErrorClass } from './retry/call-failure.ts';

type RunnerMetrics = ProcessMetrics<'runner'>;
type CallLabels = MetricLabels<'proofmark_model_calls_total'>;
type Role = MetricLabels<'proofmark_tokens_total'>['role'];

/** The same models, with each call counted. */
export function countedModels(models: ModelPort, metrics: RunnerMetrics, monotonicMs: () => number): ModelPort {
  const counted = async <Value>(
    of: Pick<CallLabels, 'provider' | 'operation'>,
    startedAt: number,
    answering: Promise<CallResult<Value>>,
  ): Promise<CallResult<Value>> => {
    let outcome: CallLabels['outcome'] | null = 'aborted';
    try {
      const result = await answering;
      outcome = result.ok ? 'answered' : outcomeOf(result.failure);
      return result;
    } finally {
      if (outcome !== null) {
        metrics.add('proofmark_model_calls_total', { ...of, outcome });
        metrics.observe('proofmark_model_call_seconds', of, (monotonicMs() - startedAt) / 1000);
      }
    }
  };
  return {
    chat: (settings, request, signal) =>
      counted(
        { provider: settings.provider, operation: 'chat' },
        monotonicMs(),
        models.chat(settings, request, signal),
      ),
    embed: (settings, inputs, signal) =>
      counted(
        { provider: settings.provider, operation: 'embeddings' },
        monotonicMs(),
        models.embed(settings, inputs, signal),
      ),
  };
}

const outcomes = {
  AuthenticationError: 'authentication',
  RateLimitError: 'rate_limit',
  BadRequestError: 'bad_request',
  ServerError: 'server',
  ConnectionError: 'connection',
  BadAnswerError: 'bad_answer',
} as const satisfies Record<ErrorClass, CallLabels['outcome']>;

/** Null: nothing was asked. */
function outcomeOf({ errorClass, kind, isNotAsked }: CallFailure): CallLabels['outcome'] | null {
  if (isNotAsked) return null;
  if (errorClass !== undefined) return outcomes[errorClass];
  return kind === 'timeout' ? 'timeout' : 'other';
}

/**
 * Counts an attempt at a test run that has ended: what it came to, how long it took, and what it used. Where an answer from
 * before is only judged again, its latency and its retries were counted when it was given.
 */
export function countOutcome(
  metrics: RunnerMetrics,
  outcome: CaseOutcome,
  { isJudgedAgain }: { isJudgedAgain: boolean },
): void {
  const { status, errorKind, executionTimeMs, latencyMs, retryCount } = outcome;
  metrics.add('proofmark_test_runs_total', { outcome: status === 'error' ? (errorKind ?? 'lost') : status });
  metrics.observe('proofmark_test_run_seconds', {}, executionTimeMs / 1000);
  if (!isJudgedAgain) {
    if (latencyMs !== null) metrics.observe('proofmark_agent_answer_seconds', {}, latencyMs / 1000);
    metrics.add('proofmark_agent_retries_total', {}, retryCount);
  }
  countUse(metrics, 'agent', outcome);
  if (outcome.conversation) countUse(metrics, 'simulator', outcome.conversation.simulator);
  for (const measuring of outcome.measuring ?? []) countUse(metrics, measuring.role, measuring);
}

type Use = { usage: TokenUsage | null; costUsd: number | null };

function countUse(metrics: RunnerMetrics, role: Role, { usage, costUsd }: Use): void {
  metrics.add('proofmark_tokens_total', { role, direction: 'input' }, usage?.promptTokens ?? 0);
  metrics.add('proofmark_tokens_total', { role, direction: 'output' }, usage?.completionTokens ?? 0);
  metrics.add('proofmark_cost_usd_total', { role }, costUsd ?? 0);
}

/** What a runner holds, as somebody wants to see it. Before it has begun nothing is told. */
export function tellStatus(metrics: RunnerMetrics, status: RunnerStatus | undefined): void {
  if (status === undefined) return;
  const { held, waiting, unconfirmed, freeSlots, silentMs } = status;
  metrics.set('proofmark_held_test_runs', { state: 'held' }, held);
  metrics.set('proofmark_held_test_runs', { state: 'waiting' }, waiting);
  metrics.set('proofmark_held_test_runs', { state: 'unconfirmed' }, unconfirmed);
  metrics.set('proofmark_free_slots', {}, freeSlots);
  if (silentMs !== null) metrics.set('proofmark_coordinator_silence_seconds', {}, silentMs / 1000);
}
