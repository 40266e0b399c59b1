import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { MetricDetail, MetricResult } from '@proofmark/contracts/case-outcome';
import { codeOfMetric, type Metric } from '@proofmark/contracts/metrics';
import { truncateResponse } from '@proofmark/domain/kept-text';
import { type MetricProgress, type MetricProgressEvent, nextMetricProgress } from '@proofmark/domain/lifecycle';
import { metricPassed } from '@proofmark/domain/metric-passed';
import type { CaseContext } from '../case/case-state.ts';
import { judgeByCode } from '../case/judge-by-code.ts';
import { shareAnswer } from '../judge/share-answer.ts';
import { retryUnusable } from '../models/bad-answer.ts';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type Tried, tryAgain } from '../retry/try-again.ts';
import { checkEvaluators } from './check-evaluators.ts';
import { chooseMetricModel, type Evaluator, type MetricTry, notApplicable, type RawScore } from './evaluator.ts';
import { gevalEvaluator } from './geval-evaluator.ts';
import { lexicalEvaluators } from './lexical-evaluators.ts';
import type { MetricSubject } from './metric-subject.ts';
import { ragEvaluator, ragTasks } from './rag-evaluator.ts';
import { rubricEvaluator } from './rubric-evaluator.ts';
import { rubrics } from './rubrics.ts';

/** Notes the states of one metric when it comes into them, and when that was. A jump that its lifecycle does not have is not noted. */
class ProgressNotes {
  readonly #elapsedMs: () => number;
  readonly states: MetricProgress[] = ['PENDING'];
  readonly atMs: number[] = [0];

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  on(...events: MetricProgressEvent[]): void {
    for (const event of events) {
      const next = nextMetricProgress(this.states.at(-1) ?? 'PENDING', event);
      if (next === undefined) continue;
      this.states.push(next);
      this.atMs.push(Math.max(0, Math.round(this.#elapsedMs() * 10) / 10));
    }
  }
}

/** The evaluator of a metric; undefined for a name or kind that there is none for, which loading refuses before any run. */
function bindEvaluator({ type, metric, metric_type }: Metric): Evaluator | undefined {
  switch (type) {
    case 'geval':
      return gevalEvaluator;
    case 'rag':
      return metric_type && ragEvaluator(ragTasks[metric_type]);
    case 'code':
    case 'command':
    case 'http':
      return codeEvaluator;
    case 'standard': {
      const rubric = rubrics.get(metric);
      return rubric ? rubricEvaluator(rubric) : (lexicalEvaluators.get(metric) ?? checkEvaluators.get(metric));
    }
  }
}

interface EvaluatedMetric {
  result: MetricResult;
  detail: MetricDetail;
}

const defaultTimeoutMs = 30_000;
const reasoningCharacters = 4_000;

/**
 * One metric of a test run with the rules that all metrics share: inputs, empty answers, retries, timeout, scale and
 * threshold. What could not be measured has a null score and an error, never a 0.
 */
export async function evaluateMetric(
  metric: Metric,
  subject: MetricSubject,
  context: CaseContext,
): Promise<EvaluatedMetric> {
  const { clock } = context.ports;
  const startedMs = clock.monotonicMs();
  const elapsedMs = () => clock.monotonicMs() - startedMs;
  const notes = new ProgressNotes(elapsedMs);
  notes.on('evaluate');
  const measured = await measure(metric, subject, context, () => notes.on('broken', 'evaluate'));
  notes.on(measured.score === null ? 'give_up' : 'scored');
  return asResult(metric, measured, { elapsedMs: elapsedMs(), notes });
}

interface Measured {
  evaluator: Evaluator | null;
  /** Asked, or would have been. */
  model: ModelSettings | null;
  score: RawScore | null;
  /** Why there is no score. */
  error: string | null;
  retryCount: number;
}

async function measure(
  metric: Metric,
  subject: MetricSubject,
  context: CaseContext,
  onRetry: () => void,
): Promise<Measured> {
  const evaluator = bindEvaluator(metric) ?? null;
  if (evaluator === null) return failed({ evaluator, model: null }, `There is no metric ${metric.metric}`);
  const model = chooseMetricModel(evaluator.asks, metric, context.work.instrument);
  const by = { evaluator, model };
  if (subject.response.trim() === '') {
    const score = { raw: evaluator.scale.min, reasoning: 'empty response', verdict: false };
    return { ...by, score, error: null, retryCount: 0 };
  }
  const missing = evaluator.missingInput(metric, subject);
  if (missing !== undefined) return failed(by, `missing_input: the test run has no ${missing}`);
  if (evaluator.asks !== null && model === null) return failed(by, 'No model is configured for the metric');
  const tried = await askOnce(evaluator, { metric, subject, model, onRetry }, context);
  const { retryCount } = tried;
  return tried.ok
    ? { ...by, score: tried.value, error: null, retryCount }
    : { ...failed(by, tried.failure.message), retryCount };
}

/** A model is asked once about equal subjects; what costs nothing is computed anew. */
function askOnce(
  evaluator: Evaluator,
  { metric, subject, model, onRetry }: Pick<MetricTry, 'metric' | 'subject' | 'model'> & { onRetry: () => void },
  context: CaseContext,
): Promise<Tried<RawScore>> {
  let tries = 0;
  const attempt = evaluator.begin();
  const { models, ports } = context;
  const { random, cassette, place } = ports;
  const committed = context.work.instrument.cassette ?? [];
  const asked = { metric, subject, models, model, random, cassette, committed, context };
  const ask = () =>
    tryAgain<RawScore>(context.ports, {
      tries: 1 + (metric.retry_on_failure ?? 0),
      timeoutMs: metric.timeout_ms ?? defaultTimeoutMs,
      signal: context.signal,
      deadlineAtMs: context.deadlineAtMs,
      attempt: async (signal) => {
        if (tries > 0) onRetry();
        tries += 1;
        return retryUnusable(await attempt({ ...asked, signal }));
      },
    });
  const shown = evaluator.shows?.(metric, subject);
  if (shown === undefined) return ask();
  return shareAnswer({ models, signal: context.signal, place }, { metric: toldOf(metric), model, shown }, ask);
}

/** What of a metric its model is told; the rest is what we make of the score. */
function toldOf({ metric, type, metric_type, custom_prompt, criteria, ...rest }: Metric) {
  const { evaluation_steps, evaluation_params, strict_mode } = rest;
  return { metric, type, metric_type, custom_prompt, criteria, evaluation_steps, evaluation_params, strict_mode };
}

function failed(by: Pick<Measured, 'evaluator' | 'model'>, error: string): Measured {
  return { ...by, score: null, error, retryCount: 0 };
}

function asResult(
  { metric, threshold, scale }: Metric,
  { evaluator, model, score: found, error, retryCount }: Measured,
  { elapsedMs, notes }: { elapsedMs: number; notes: ProgressNotes },
): EvaluatedMetric {
  const score = found && scaled(found.raw / (evaluator?.scale.max ?? 1), scale);
  return {
    result: {
      metric_name: metric,
      score,
      threshold: threshold ?? null,
      passed: metricPassed({ score, threshold, verdict: found?.verdict }),
      scale: scale ?? null,
      error,
      retry_count: retryCount,
      evaluation_time_ms: Math.max(0, Math.round(elapsedMs)),
      model_used: model?.model ?? null,
    },
    detail: {
      metric_name: metric,
      kind: evaluator?.kind ?? 'check',
      ...(model && { configuration: model.configuration }),
      ...findings(found),
      progress: notes.states,
      progressAtMs: notes.atMs,
    },
  };
}

/** A scale begins at 0, and only opposite meanings are below it. */
const scaled = (score: number, scale: number | undefined): number =>
  scale === undefined ? score : Math.max(0, score) * scale;

function findings(found: RawScore | null): Pick<MetricDetail, 'reasoning' | 'steps' | 'stepsGenerated'> {
  const reasoning = found?.reasoning ? truncateResponse(found.reasoning, reasoningCharacters).text : null;
  if (!found?.steps) return { reasoning };
  return { reasoning, steps: [...found.steps], stepsGenerated: found.stepsGenerated ?? false };
}

/** A metric that code of the team measures: a score of 0 to 1, or a verdict, which is 1 or 0. */
const codeEvaluator: Evaluator = {
  kind: 'code',
  asks: null,
  scale: { min: 0, max: 1 },
  missingInput: () => undefined,
  begin:
    () =>
    async ({ metric, subject, context, signal }) => {
      const check = codeOfMetric(metric);
      if (check === undefined) return noScore(`The metric ${metric.metric} has no code`);
      const { status, details, error } = await judgeByCode(check, subject.told, { ...context, signal });
      if (status === 'error') return noScore(error ?? 'The code could not judge');
      if (status === 'skip') return notApplicable(details.reasoning ?? 'the code skips this test run');
      return scored(details.score ?? Number(status === 'pass'), {
        isPassed: status === 'pass',
        reason: details.reasoning,
      });
    },
};

function scored(
  raw: number,
  { isPassed, reason }: { isPassed: boolean; reason: string | undefined },
): CallResult<RawScore> {
  if (raw < 0 || raw > 1) return noScore(`The code returned the score ${raw}: the score of a metric is 0 to 1`);
  return { ok: true, value: { raw, reasoning: reason ?? null, verdict: isPassed } };
}

const noScore = (message: string): CallResult<never> => ({ ok: false, failure: finalFailure('agent', message) });
