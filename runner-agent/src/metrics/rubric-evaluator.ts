import { askStructured } from '../judge/ask-structured.ts';
import { type DataBlock, markData } from '../judge/data-blocks.ts';
import type { CallResult, ChatRequest } from '../models/model-port.ts';
import type { Evaluator, MetricTry, RawScore } from './evaluator.ts';
import { modelOf, notApplicable } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';
import { ratingAnswer, ratingRules, ratingSchema, type ScoreRange } from './rating-answer.ts';
import type { Rubric } from './rubrics.ts';
import { inputText, subjectBlocks } from './subject-blocks.ts';

/** A model that rates an answer by a rubric of ours, or by the metric's `custom_prompt` in its place. */
export function rubricEvaluator(rubric: Rubric): Evaluator {
  const scores = rubric.levels.map(([score]) => score);
  const scale = { min: Math.min(...scores), max: Math.max(...scores) };
  return {
    kind: 'model',
    asks: 'chat',
    scale,
    missingInput: (_metric, subject) => rubric.needs.find((input) => inputText(input, subject).trim() === ''),
    shows: (_metric, subject) => blocksOf(rubric, subject),
    begin: () => (attempt) => rate(attempt, { rubric, scale }),
  };
}

const blocksOf = ({ needs, optional = [] }: Rubric, subject: MetricSubject): DataBlock[] =>
  subjectBlocks([...needs, ...optional], subject);

async function rate(
  attempt: MetricTry,
  { rubric, scale }: { rubric: Rubric; scale: ScoreRange },
): Promise<CallResult<RawScore>> {
  const { metric, subject, models, random, signal } = attempt;
  const data = markData(blocksOf(rubric, subject), random);
  const instructions = metric.custom_prompt ?? rubricText(rubric);
  const request = ratingRequest({ instructions, data, scale, outputTokens: rubric.outputTokens });
  const question = { model: modelOf(attempt), request, shape: ratingAnswer(scale), who: 'The model' };
  const answered = await askStructured(models, question, signal);
  if (!answered.ok) return answered;
  const answer = answered.value.value;
  if (answer.status === 'not_applicable') return notApplicable(answer.reasoning || 'there is nothing to rate');
  return {
    ok: true,
    value: { raw: answer.score, reasoning: answer.reasoning, verdict: answer.score >= rubric.passesFrom },
  };
}

/** The request of every metric that is rated by one number: rubric and rules outside, data inside of markers. */
export function ratingRequest({
  instructions,
  data,
  scale,
  outputTokens,
}: {
  instructions: string;
  data: { rule: string; text: string };
  scale: ScoreRange;
  outputTokens: number;
}): ChatRequest {
  const rules = ratingRules(scale);
  const role = 'You rate the work of an AI agent. You do not talk to anybody and you call no tools.';
  return {
    messages: [
      { role: 'system', content: [role, instructions, data.rule, rules].join('\n\n') },
      { role: 'user', content: `${data.text}\n\n${rules}` },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema: ratingSchema,
  };
}

function rubricText({ rated, ignored, levels, examples }: Rubric): string {
  return [
    `What you rate: ${rated}`,
    `Leave out of account: ${ignored}`,
    ...levels.map(([score, meaning]) => `${score}: ${meaning}`),
    ...examples.map((example) => `Example: ${example}`),
  ].join('\n');
}
