import type { Metric } from '@proofmark/contracts/metrics';
import { askStructured } from '../judge/ask-structured.ts';
import { cutMiddle, judgedText } from '../judge/cut-middle.ts';
import { type DataBlock, markData } from '../judge/data-blocks.ts';
import type { CallResult } from '../models/model-port.ts';
import { evaluationSteps } from './evaluation-steps.ts';
import type { Evaluator, MetricTry, RawScore } from './evaluator.ts';
import { modelOf, notApplicable } from './evaluator.ts';
import { gevalParams } from './geval-params.ts';
import type { MetricSubject } from './metric-subject.ts';
import { ratingAnswer } from './rating-answer.ts';
import { ratingRequest } from './rubric-evaluator.ts';

const scale = { min: 0, max: 10 };
const passesFrom = 5;
const outputTokens = 800;

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
