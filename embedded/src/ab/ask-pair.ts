import type { ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { Invocation } from '@proofmark/domain/execution-stats';
import { type PairOrder, pairOrder } from '@proofmark/domain/pair-order';
import { CaseAborted, type CasePorts, runCase } from '@proofmark/runner-agent/run-case';
import { type AbPair, type AbSettings, modelOf, type PairSide } from './session-plan.ts';

export interface PairContext {
  settings: AbSettings;
  ports: CasePorts;
  signal: AbortSignal;
  /** Told after every try of either agent. */
  onInvocation: (invocation: Invocation) => void;
}

/** Both answers to one question, before it is known when and under which session they are stored. */
export type AnsweredPair = Pick<ABTestResult, 'question' | 'baseline' | 'candidate' | 'metadata'>;

/** Asks both agents. Undefined when it was interrupted: such a pair is asked again as a whole. */
export async function askPair(pair: AbPair, context: PairContext): Promise<AnsweredPair | undefined> {
  const { settings } = context;
  const order = pairOrder({ seed: settings.order_seed, key: pair.key, concurrent: settings.concurrent });
  try {
    const { baseline, candidate } = await askInOrder(pair, order, context);
    return {
      question: pair.question,
      baseline: baseline.response,
      candidate: candidate.response,
      metadata: { ...pair.metadata, order, baseline_status: baseline.status, candidate_status: candidate.status },
    };
  } catch (error) {
    if (context.signal.aborted || error instanceof CaseAborted) return undefined;
    throw error;
  }
}

interface Answered {
  response: AgentResponse;
  /** How its checks judged the answer. */
  status: CaseOutcome['status'];
}

async function askInOrder(
  pair: AbPair,
  order: PairOrder,
  context: PairContext,
): Promise<Record<'baseline' | 'candidate', Answered>> {
  if (order === 'together') {
    const [baseline, candidate] = await Promise.all([
      askSide(pair.baseline, context),
      askSide(pair.candidate, context),
    ]);
    return { baseline, candidate };
  }
  const [first, second] =
    order === 'baseline_first' ? [pair.baseline, pair.candidate] : [pair.candidate, pair.baseline];
  const answeredFirst = await askSide(first, context);
  await restAtLeast(context.settings.cache_reset_ms, context);
  const answeredSecond = await askSide(second, context);
  return order === 'baseline_first'
    ? { baseline: answeredFirst, candidate: answeredSecond }
    : { baseline: answeredSecond, candidate: answeredFirst };
}

/** Timers may end a little early; the pause that was promised does not. */
async function restAtLeast(ms: number, { ports, signal }: PairContext): Promise<void> {
  const end = ports.clock.monotonicMs() + ms;
  for (let rest = ms; rest > 0; rest = end - ports.clock.monotonicMs()) await ports.pause(Math.ceil(rest), signal);
}

async function askSide(side: PairSide, context: PairContext): Promise<Answered> {
  const { ports, signal, settings, onInvocation } = context;
  if ('error' in side) return { response: unanswered(side.error, ports.clock.now()), status: 'error' };
  const { work } = side;
  let whole: string | null = null;
  const model = modelOf(work);
  const outcome = await runCase(
    work,
    {
      ...ports,
      watch: {
        retry: {
          maxAttempts: settings.max_attempts,
          initialDelayMs: settings.initial_delay_ms,
          backoffFactor: settings.backoff_factor,
        },
        tried: ({ retriesDone, failure }) => onInvocation({ model, retriesDone, failure: failure?.kind ?? null }),
        answered: (text) => {
          whole = text;
        },
      },
    },
    signal,
  );
  return { response: responseOf(outcome, { model, whole }), status: outcome.status };
}

/**
 * What the agent did, whatever its checks said of it: only a call that failed is an error of the response. A check or a
 * judge that broke leaves the answer as it was given.
 */
function responseOf(outcome: CaseOutcome, { model, whole }: { model: string; whole: string | null }): AgentResponse {
  const base = { model: outcome.model ?? model, timestamp: outcome.startedAt, retry_count: outcome.retryCount };
  const isAnswered = outcome.status !== 'error' || outcome.errorKind === 'judge';
  if (!isAnswered) {
    const error = outcome.errorMessage ?? outcome.errorKind ?? 'unknown error';
    return { ...base, response: '', prompt_tokens: 0, completion_tokens: 0, latency_ms: 0, error };
  }
  return {
    ...base,
    response: whole ?? outcome.response ?? '',
    prompt_tokens: outcome.usage?.promptTokens ?? 0,
    completion_tokens: outcome.usage?.completionTokens ?? 0,
    latency_ms: outcome.latencyMs ?? 0,
    error: null,
  };
}

const unanswered = (error: string, now: Date): AgentResponse => ({
  ...{ response: '', prompt_tokens: 0, completion_tokens: 0, latency_ms: 0, model: 'unknown', error, retry_count: 0 },
  timestamp: now.toISOString(),
});
