import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import type { CaseOutcome, TokenUsage } from '@proofmark/contracts/case-outcome';
import { type PairOrder, pairOrder } from '@proofmark/domain/plan-sides';
import { measuredModel, responseOf, statusMetadata, unanswered } from '@proofmark/domain/questions';
import { countInvocation, type Invocation } from '@proofmark/domain/summarize-session';
import { sumUsage } from '@proofmark/domain/totals';
import { CaseAborted, type CasePorts, type FinishedTry, runCase } from '@proofmark/runner-agent/run-case';
import { openSlots, runInSlots } from '../limits.ts';
import {
  type AbPair,
  type AbSettings,
  asExecution,
  type ComparisonPlan,
  type ComparisonStore,
  type PairSide,
} from './comparison-store.ts';
import { warmUp } from './warm-up.ts';

export interface PairFinished {
  result: ABTestResult;
  done: number;
  total: number;
}

export interface ComparisonInput {
  store: ComparisonStore;
  /** New, or with the results that an earlier process got. */
  comparison: ABSession;
  plan: ComparisonPlan;
  ports: CasePorts;
  /** Told after each pair, when its result is on disk. */
  onPair?: (event: PairFinished) => void;
  /** An abort lets nothing new start; the comparison stays open and can be resumed. */
  signal: AbortSignal;
}

/**
 * Asks what has not been asked yet and keeps every result at once. The comparison has its `end_time` when every pair is
 * answered. Whatever an agent does is in its response; a fault of the engine is an `ExecutionError`.
 */
export async function runComparison(input: ComparisonInput): Promise<ABSession> {
  const { store, plan, ports, signal } = input;
  const recorder = openRecorder(input);
  const answered = new Set(input.comparison.results.map(({ metadata }) => metadata.pair));
  const open = plan.pairs.filter(({ key }) => !answered.has(key));
  if (open.length === 0 && input.comparison.end_time !== null) return input.comparison;
  let stats = await asExecution('The statistics cannot be read', () => store.loadStats(input.comparison.session_id));
  const places = new Map(plan.pairs.map(({ key }, place) => [key, place]));
  const ask = async (pair: AbPair): Promise<void> => {
    if (signal.aborted) return;
    const { key } = pair;
    const result = await askPair(pair, {
      ...{ settings: plan.settings, ports, signal },
      order: pairOrder(plan.settings, { key, place: places.get(key) ?? 0 }),
      onInvocation: (invocation) => {
        stats = countInvocation(stats, invocation);
      },
    });
    if (result !== undefined) await recorder.record(result, () => store.saveStats(input.comparison.session_id, stats));
  };
  if (plan.settings.warm_up) await asExecution('The warm-up broke off', () => warmUp(open, { ports, signal }));
  await asExecution('The session broke off', () => runInSlots(open, openSlots(plan.settings.pairs_at_once), ask));
  return await asExecution('The session cannot be written', recorder.end);
}

/** Keeps results in the order in which they came, each with a time of its own. */
function openRecorder({ store, comparison: started, plan, ports, onPair }: ComparisonInput) {
  const results = [...started.results];
  let comparison: ABSession = { ...started, end_time: null };
  // One after another: two writers of one file would take its half-written twin from each other.
  let turn: Promise<void> = Promise.resolve();
  let lastMs = Math.max(0, ...results.map(({ timestamp }) => Date.parse(timestamp)));
  let written = 0;
  const save = async (): Promise<void> => {
    comparison = { ...comparison, results: [...results] };
    written = results.length;
    await store.saveComparison(comparison);
  };
  const keep = async (answered: AnsweredPair, saveStats: () => Promise<void>): Promise<void> => {
    // The time names the file, so no two results may have the same.
    lastMs = Math.max(ports.clock.now().getTime(), lastMs + 1);
    const result: ABTestResult = {
      ...answered,
      context_tokens: plan.settings.context_tokens,
      timestamp: new Date(lastMs).toISOString(),
      session_id: comparison.session_id,
    };
    await store.saveResult(result);
    await saveStats();
    results.push(result);
    onPair?.({ result, done: results.length, total: plan.pairs.length });
    if (isWorthRewriting(results.length, written)) await save();
  };
  return {
    record: (answered: AnsweredPair, saveStats: () => Promise<void>): Promise<void> => {
      const kept = turn.then(() => keep(answered, saveStats));
      // A failure is the affair of its own pair; the next one tries for itself.
      turn = kept.catch(() => undefined);
      return kept;
    },
    end: async (): Promise<ABSession> => {
      const isComplete = results.length >= plan.pairs.length;
      comparison = { ...comparison, end_time: isComplete ? ports.clock.now().toISOString() : null };
      await save();
      return comparison;
    },
  };
}

/** The results themselves are on disk already; the file that lists them all is rewritten when it has grown by a tenth. */
const isWorthRewriting = (results: number, written: number): boolean =>
  results - written >= Math.max(1, Math.floor(written / 10));

interface PairContext {
  settings: AbSettings;
  order: PairOrder;
  ports: CasePorts;
  signal: AbortSignal;
  /** Told after every try of either agent. */
  onInvocation: (invocation: Invocation) => void;
}

/** Both answers to one question, before it is known when and under which comparison they are stored. */
type AnsweredPair = Pick<ABTestResult, 'question' | 'baseline' | 'candidate' | 'metadata'>;

/** Asks both agents. Undefined when it was interrupted: such a pair is asked again as a whole. */
async function askPair(pair: AbPair, context: PairContext): Promise<AnsweredPair | undefined> {
  const { order } = context;
  try {
    const { baseline, candidate } = await askInOrder(pair, context);
    return {
      question: pair.question,
      baseline: baseline.response,
      candidate: candidate.response,
      metadata: {
        ...pair.metadata,
        order,
        ...statuses(pair, { baseline, candidate }),
        ...errorTypes({ baseline, candidate }),
      },
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
  /** Class of the error that the last try ended with; null: it was answered, or never asked. */
  errorType: string | null;
}

/** What kind of error left a side without an answer, by the names under which the statistics count it. */
function errorTypes({ baseline, candidate }: Record<'baseline' | 'candidate', Answered>): Record<string, string> {
  return {
    ...(baseline.errorType === null ? {} : { baseline_error_type: baseline.errorType }),
    ...(candidate.errorType === null ? {} : { candidate_error_type: candidate.errorType }),
  };
}

/** How both answers were judged; nothing where there is nothing to judge them by, for nobody did. */
function statuses({ isJudged }: AbPair, { baseline, candidate }: Record<'baseline' | 'candidate', Answered>) {
  return isJudged ? statusMetadata({ baseline: baseline.status, candidate: candidate.status }) : {};
}

async function askInOrder(pair: AbPair, context: PairContext): Promise<Record<'baseline' | 'candidate', Answered>> {
  const { order } = context;
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
  if ('error' in side) return { response: unanswered(side.error, ports.clock.now()), status: 'error', errorType: null };
  const { work } = side;
  let whole: string | null = null;
  let lastFailure: string | null = null;
  const usages: (TokenUsage | null)[] = [];
  const model = measuredModel(work);
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
        tried: ({ retriesDone, failure }) => {
          lastFailure = failure && classOf(failure);
          onInvocation({ model, retriesDone, failure: lastFailure });
        },
        answered: ({ text, usage }) => {
          whole = text;
          usages.push(usage);
        },
      },
    },
    signal,
  );
  const response = responseOf(outcome, { model, whole, usage: sumUsage(usages) });
  return { response, status: outcome.status, errorType: response.error === null ? null : lastFailure };
}

/** Timeouts are counted apart, whatever made the call so slow. */
const classOf = ({ kind, errorClass }: NonNullable<FinishedTry['failure']>): string =>
  kind === 'timeout' ? kind : (errorClass ?? kind);
