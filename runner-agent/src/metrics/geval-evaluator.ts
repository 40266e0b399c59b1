import { contentHash } from '@proofmark/contracts/content-hash';
import type { EvaluationParam, Metric } from '@proofmark/contracts/metrics';
import { z } from 'zod';
import { askStructured } from '../judge/ask-structured.ts';
import { cutMiddle, judgedText } from '../judge/cut-middle.ts';
import { type DataBlock, markData } from '../judge/data-blocks.ts';
import { hangLines } from '../judge/hang-lines.ts';
import { unmetered } from '../judge/meter-models.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import type { Evaluator, MetricTry, RawScore } from './evaluator.ts';
import { modelOf, notApplicable } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';
import { ratingAnswer } from './rating-answer.ts';
import { ratingRequest } from './rubric-evaluator.ts';

const scale = { min: 0, max: 10 };
const passesFrom = 5;
const outputTokens = 800;

/** A rubric of the team's own, followed in steps. Missing steps are written by the model once per definition. */
export const gevalEvaluator: Evaluator = {
  kind: 'geval',
  asks: 'chat',
  scale,
  missingInput: (metric, subject) =>
    paramsOf(metric)
      .map((param) => params[param])
      .find(({ read }) => read(subject).trim() === '')?.input,
  shows: blocksOf,
  begin: () => rate,
};

function blocksOf(metric: Metric, subject: MetricSubject): DataBlock[] {
  return paramsOf(metric).map((param) => {
    const { title, read } = params[param];
    return { title, text: cutMiddle(read(subject), judgedText).text };
  });
}

async function rate(attempt: MetricTry): Promise<CallResult<RawScore>> {
  const { metric, subject, models, random, signal } = attempt;
  const model = modelOf(attempt);
  // A prompt of the team's own takes the place of criteria and steps.
  const steps = metric.custom_prompt === undefined ? await stepsOf(attempt) : { ok: true as const, value: [] };
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

const params: Readonly<
  Record<EvaluationParam, { title: string; input: string; read: (subject: MetricSubject) => string }>
> = {
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

const paramsOf = ({ evaluation_params: chosen }: Metric): readonly EvaluationParam[] => [
  ...new Set(chosen ?? (['actual_output'] as const)),
];

const Steps = z.strictObject({ steps: z.array(z.string().trim().min(1)).min(1).max(10) });

const stepsSchema = {
  name: 'steps',
  schema: {
    type: 'object',
    properties: { steps: { type: 'array', items: { type: 'string' } } },
    required: ['steps'],
    additionalProperties: false,
  },
};

/**
 * Steps that were written in this process, per model client and definition, so that the cases of a run are rated by the
 * same ones. They die with the client, and another runner asks anew: only steps in the definition are the same everywhere.
 */
const written = new WeakMap<ModelPort, Map<string, readonly string[]>>();

async function stepsOf(attempt: MetricTry): Promise<CallResult<readonly string[]>> {
  const { metric, models } = attempt;
  if (metric.evaluation_steps !== undefined) return { ok: true, value: metric.evaluation_steps };
  const model = modelOf(attempt);
  const client = unmetered(models);
  const known = written.get(client) ?? new Map<string, readonly string[]>();
  written.set(client, known);
  const id = contentHash({
    criteria: metric.criteria ?? '',
    params: [...paramsOf(metric)],
    model: model.model,
    base_url: model.base_url ?? null,
  });
  const steps = known.get(id);
  if (steps !== undefined) return { ok: true, value: steps };
  const answered = await askStructured(models, stepsQuestion(attempt), attempt.signal);
  if (!answered.ok) return answered;
  // Another case may have been faster; its steps are used, or the two would be rated differently.
  const chosen = known.get(id) ?? answered.value.value.steps;
  known.set(id, chosen);
  return { ok: true, value: chosen };
}

function stepsQuestion(attempt: MetricTry) {
  const { metric } = attempt;
  const looksAt = paramsOf(metric).map((param) => params[param].title.toLowerCase());
  const request = {
    messages: [
      {
        role: 'system' as const,
        content:
          'You write instructions for somebody who rates answers of an AI agent. Answer with one JSON object and nothing else: {"steps": ["…"]} with 3 or 4 short steps, each one sentence, in the order in which they are taken.',
      },
      {
        role: 'user' as const,
        content: `What is rated: ${metric.metric}\nCriteria: ${metric.criteria ?? ''}\nWhat the rater sees: ${looksAt.join(', ')}`,
      },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema: stepsSchema,
  };
  return { model: modelOf(attempt), request, shape: Steps, who: 'The model' };
}
