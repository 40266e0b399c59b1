import { z } from 'zod';
import { askStructured } from '../judge/ask-structured.ts';
import { cutMiddle, type DataBlock, hangLines, judgedText, markData } from '../judge/data-blocks.ts';
import type { CallResult, ChatRequest } from '../models/model-port.ts';
import { type Evaluator, type MetricTry, modelOf, notApplicable, type RawScore } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';
import type { Rubric, RubricInput } from './rubrics.ts';

interface ScoreRange {
  min: number;
  max: number;
}

const scoreKeys = { reasoning: z.string().default('') };

/** The answer of a model that rates: a whole number on the scale, or that there is nothing to rate. */
export function ratingAnswer({ min, max }: ScoreRange) {
  return z.union([
    z.strictObject({ ...scoreKeys, score: z.int().min(min).max(max), status: z.literal('scored').default('scored') }),
    z.strictObject({ ...scoreKeys, score: z.unknown().optional(), status: z.literal('not_applicable') }),
  ]);
}

/** The same as a JSON Schema for structured output; reasoning stands before the score so that it is written first. */
const ratingSchema = {
  name: 'rating',
  schema: {
    type: 'object',
    properties: {
      reasoning: { type: 'string' },
      score: { type: ['integer', 'null'] },
      status: { type: 'string', enum: ['scored', 'not_applicable'] },
    },
    required: ['reasoning', 'score', 'status'],
    additionalProperties: false,
  },
};

/** The rules for the answer, said in the system message and once more after the data. */
function ratingRules({ min, max }: ScoreRange): string {
  return [
    'Answer with one JSON object and nothing else: {"reasoning": "one or two sentences", "score": number or null, "status": "scored" or "not_applicable"}.',
    `The score is a whole number from ${min} to ${max}. Reason briefly, then score. Use "not_applicable" with a null score only when there is nothing to rate.`,
  ].join('\n');
}

const titles: Readonly<Record<RubricInput, string>> = {
  instructions: 'Instructions of the agent',
  query: 'Query',
  context: 'Context',
  ground_truth: 'Reference answer',
  tools: 'Tools that the agent has',
  calls: 'Tool calls of the agent',
  response: 'Response of the agent',
};

/** The text of one input; empty when the test run has none. */
function inputText(input: RubricInput, subject: MetricSubject): string {
  switch (input) {
    case 'ground_truth':
      return subject.groundTruth ?? '';
    case 'calls':
      return subject.calls.length === 0 ? 'No tool was called.' : subject.calls.map(callText).join('\n');
    case 'context':
    case 'instructions':
    case 'query':
    case 'response':
    case 'tools':
      return subject[input];
  }
}

const callText = ({ name, args }: MetricSubject['calls'][number], index: number): string =>
  `${index + 1}. ${hangLines(name)} ${JSON.stringify(args)}`;

/** A block per input in the fixed order of the titles above, without those that are empty; long texts lose their middle. */
function subjectBlocks(inputs: readonly RubricInput[], subject: MetricSubject): DataBlock[] {
  return (Object.keys(titles) as RubricInput[]) // the keys of a record over RubricInput
    .filter((input) => inputs.includes(input))
    .map((input) => ({ title: titles[input], text: cutMiddle(inputText(input, subject), judgedText).text }))
    .filter(({ text }) => text.trim() !== '');
}

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
