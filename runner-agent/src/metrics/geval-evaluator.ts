import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { EvaluationParam, Metric } from '@proofmark/contracts/metrics';
import { sanitizeForStorage } from '@proofmark/domain/sanitize-for-storage';
import { z } from 'zod';
import { askStructured, type Question } from '../judge/ask-structured.ts';
import { cutMiddle, type DataBlock, hangLines, judgedText, markData } from '../judge/data-blocks.ts';
import { shareAnswer } from '../judge/share-answer.ts';
import type { CallResult } from '../models/model-port.ts';
import { placeWithin } from '../retry/case-place.ts';
import type { Tried } from '../retry/try-again.ts';
import {
  chooseMetricModel,
  type Evaluator,
  type MetricTry,
  modelOf,
  notApplicable,
  type RawScore,
} from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';
import { ratingAnswer, ratingRequest } from './rubric-evaluator.ts';

interface GevalParam {
  title: string;
  /** What is missing when it is empty. */
  input: string;
  read: (subject: MetricSubject) => string;
}

/** What a G-Eval metric looks at, in its order, each once; the response unless it says otherwise. */
const gevalParams = ({ evaluation_params: chosen = ['actual_output'] }: Metric): GevalParam[] =>
  [...new Set(chosen)].map((param) => params[param]);

const params: Readonly<Record<EvaluationParam, GevalParam>> = {
  input: { title: 'Input', input: 'query', read: ({ query }) => query },
  actual_output: { title: 'Actual output', input: 'response', read: ({ response }) => response },
  expected_output: {
    title: 'Expected output',
    input: 'ground_truth',
    read: ({ groundTruth }) => groundTruth ?? '',
  },
  context: { title: 'Context', input: 'context', read: ({ context }) => context },
  retrieval_context: {
    title: 'Retrieved context',
    input: 'retrieval_context',
    read: ({ chunks }) => chunks.map((chunk, index) => `${index + 1}. ${hangLines(chunk)}`).join('\n\n'),
  },
};

/** What steps are written from: a metric may be renamed, but its criteria and what it sees may not change. */
const stepsDefinition = (metric: Metric) => ({
  criteria: metric.criteria ?? '',
  sees: gevalParams(metric).map(({ title }) => title.toLowerCase()),
});

/** Steps of a G-Eval metric as they are recorded: under a digest of its definition and its model. */
function stepsEntry(
  metric: Metric,
  { provider, model, base_url }: ModelSettings,
  steps: readonly string[],
): CassetteEntry {
  const definition = stepsDefinition(metric);
  const key = contentHash({ evaluationSteps: definition, model: { provider, model, base_url } });
  return { key, tool: 'evaluation_steps', args: { metric: metric.metric, ...definition }, result: [...steps] };
}

/** The steps that a model wrote for this test run or for one before it, for whoever repeats it or compares with it. */
export function recordedSteps(
  { instrument }: Pick<CaseWork, 'instrument'>,
  { metricDetails }: Pick<CaseOutcome, 'metricDetails'>,
): CassetteEntry[] {
  return metricDetails.flatMap(({ metric_name, steps, stepsGenerated }) => {
    const metric = instrument.evaluations?.metrics.find((one) => one.metric === metric_name);
    const model = metric && chooseMetricModel('chat', metric, instrument);
    return metric && model && steps && stepsGenerated ? [stepsEntry(metric, model, steps)] : [];
  });
}

const outputTokens = 800;
const Step = z.string().trim().min(1).max(1_000);
const StepList = z.array(Step).min(1).max(10);
const Steps = z.strictObject({ steps: StepList });

/**
 * The steps that a G-Eval metric is rated by. Missing ones are written by its model once and recorded under a digest of the
 * definition, so that all cases and both sides of a comparison are rated alike, whichever process runs them.
 */
async function evaluationSteps(attempt: MetricTry): Promise<CallResult<readonly string[]>> {
  const { metric, models, signal } = attempt;
  if (metric.evaluation_steps !== undefined) return { ok: true, value: metric.evaluation_steps };
  const { key } = stepsEntry(metric, modelOf(attempt), []);
  return await shareAnswer({ models, signal, place: placeWithin(signal) }, { evaluationSteps: key }, () =>
    findOrWrite(key, attempt),
  );
}

async function findOrWrite(key: string, attempt: MetricTry): Promise<Tried<readonly string[]>> {
  const { committed, cassette, signal, metric } = attempt;
  const known = committed.find((entry) => entry.key === key);
  const found = known === undefined ? await cassette?.find(key, signal) : { ok: true as const, value: known };
  if (found?.ok === false) return { ...found, retryCount: 0 };
  const recorded = stepsIn(found?.value);
  if (recorded !== undefined) return once(recorded);
  const answered = await askStructured(attempt.models, stepsQuestion(attempt), signal);
  if (!answered.ok) return { ...answered, retryCount: 0 };
  const { steps } = answered.value.value;
  const entry = stepsEntry(metric, modelOf(attempt), steps);
  // Another process may have been faster: then its steps count, or the two would rate differently.
  const kept = await cassette?.keep(sanitizeForStorage(entry).value, signal);
  if (kept?.ok === false) return { ...kept, retryCount: 0 };
  return once(stepsIn(kept?.value) ?? steps);
}

const once = (value: readonly string[]): Tried<readonly string[]> => ({ ok: true, value, latencyMs: 0, retryCount: 0 });

/** Undefined for what is no list of steps, such as an entry that somebody edited. */
const stepsIn = (entry: CassetteEntry | undefined): readonly string[] | undefined =>
  StepList.safeParse(entry?.result).data;

function stepsQuestion(attempt: MetricTry): Question<typeof Steps> {
  const { criteria, sees } = stepsDefinition(attempt.metric);
  const request = {
    messages: [
      {
        role: 'system' as const,
        content:
          'You write instructions for somebody who rates answers of an AI agent. Answer with one JSON object and nothing else: {"steps": ["…"]} with 3 or 4 short steps, each one sentence, in the order in which they are taken.',
      },
      { role: 'user' as const, content: `Criteria: ${criteria}\nWhat the rater sees: ${sees.join(', ')}` },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema: stepsSchema,
  };
  return { model: modelOf(attempt), request, shape: Steps, who: 'The model' };
}

const stepsSchema = {
  name: 'steps',
  schema: {
    type: 'object',
    properties: { steps: { type: 'array', items: { type: 'string' } } },
    required: ['steps'],
    additionalProperties: false,
  },
};

const scale = { min: 0, max: 10 };
const passesFrom = 5;

/** A rubric of the team's own, followed in steps. Missing steps are written by the model, once per definition. */
export const gevalEvaluator: Evaluator = {
  kind: 'geval',
  asks: 'chat',
  scale,
  missingInput: (metric, subject) => gevalParams(metric).find(({ read }) => read(subject).trim() === '')?.input,
  shows: blocksOf,
  begin: () => rate,
};

function blocksOf(metric: Metric, subject: MetricSubject): DataBlock[] {
  return gevalParams(metric).map(({ title, read }) => ({ title, text: cutMiddle(read(subject), judgedText).text }));
}

async function rate(attempt: MetricTry): Promise<CallResult<RawScore>> {
  const { metric, subject, models, random, signal } = attempt;
  const model = modelOf(attempt);
  // A prompt of the team's own takes the place of criteria and steps.
  const steps = metric.custom_prompt === undefined ? await evaluationSteps(attempt) : { ok: true as const, value: [] };
  if (!steps.ok) return steps;
  const instructions = metric.custom_prompt ?? rubricOf(metric, steps.value);
  const data = markData(blocksOf(metric, subject), random);
  const request = ratingRequest({ instructions, data, scale, outputTokens });
  const question = { model, request, shape: ratingAnswer(scale), who: 'The model' };
  const answered = await askStructured(models, question, signal);
  if (!answered.ok) return answered;
  const answer = answered.value.value;
  if (answer.status === 'not_applicable') return notApplicable(answer.reasoning || 'there is nothing to rate');
  const raw = metric.strict_mode && answer.score < scale.max ? scale.min : answer.score;
  const followed =
    steps.value.length === 0 ? {} : { steps: steps.value, stepsGenerated: metric.evaluation_steps === undefined };
  return { ok: true, value: { raw, reasoning: answer.reasoning, verdict: raw >= passesFrom, ...followed } };
}

function rubricOf({ metric, criteria = '' }: Metric, steps: readonly string[]): string {
  return [
    `You rate "${metric}" by these criteria:\n${criteria}`,
    `Follow these steps:\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`,
    '0 means that the criteria are not met at all, 10 that they are met completely.',
  ].join('\n\n');
}
