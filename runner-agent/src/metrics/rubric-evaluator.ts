import { z } from 'zod';
import { askStructured, leftOpen, type StructuredAnswer } from '../judge/ask-structured.ts';
import { cutBlocks, type DataBlock, hangLines, markData } from '../judge/data-blocks.ts';
import { callsBlock } from '../judge/evidence.ts';
import { lenientInt, lenientText, lenientWord } from '../judge/extract-answer.ts';
import type { CallResult, ChatRequest } from '../models/model-port.ts';
import { type Evaluator, type MetricTry, modelOf, notApplicable, type RawScore } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';
import type { Rubric, RubricInput } from './rubrics.ts';

interface ScoreRange {
  min: number;
  max: number;
}

const titles: Readonly<Record<RubricInput, string>> = {
  instructions: 'Instructions of the agent',
  query: 'Query',
  context: 'Context',
  ground_truth: 'Reference answer',
  tools: 'Tools that the agent has',
  calls: 'Tool calls of the agent',
  results: 'Tool calls of the agent with their results',
  response: 'Response of the agent',
};

/** The text of one input; empty when the test run has none. */
function inputText(input: RubricInput, subject: MetricSubject): string {
  switch (input) {
    case 'ground_truth':
      return subject.groundTruth ?? '';
    case 'calls':
      return subject.calls.length === 0 ? 'No tool was called.' : subject.calls.map(callText).join('\n');
    case 'results':
      return subject.calls.length === 0 ? '' : callsBlock(subject.calls).text;
    case 'context':
    case 'instructions':
    case 'query':
    case 'response':
    case 'tools':
      return subject[input];
  }
}

const callText = ({ name, args, error }: MetricSubject['calls'][number], index: number): string =>
  `${index + 1}. ${hangLines(name)} ${JSON.stringify(args)}${error === null ? '' : ` failed: ${hangLines(error)}`}`;

/** A block per input in the fixed order of the titles above, without those that are empty. */
function subjectBlocks(inputs: readonly RubricInput[], subject: MetricSubject): DataBlock[] {
  return (Object.keys(titles) as RubricInput[]) // the keys of a record over RubricInput
    .filter((input) => inputs.includes(input))
    .map((input) => ({ title: titles[input], text: inputText(input, subject) }))
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
  const rated = await askForRating(attempt, {
    instructions: attempt.metric.custom_prompt ?? rubricText(rubric),
    blocks: blocksOf(rubric, attempt.subject),
    scale,
    outputTokens: rubric.outputTokens,
  });
  if (!rated.ok) return rated;
  const { score, reasoning } = rated.value;
  return { ok: true, value: { raw: score, reasoning, verdict: score >= rubric.passesFrom } };
}

interface RatingQuestion {
  instructions: string;
  /** Uncut: what a model reads of long texts is decided here. */
  blocks: readonly DataBlock[];
  scale: ScoreRange;
  outputTokens: number;
  weighsTokens?: true;
}

interface Rating extends Pick<StructuredAnswer<unknown>, 'tokens'> {
  score: number;
  reasoning: string;
}

/** One number from a model, in every metric that is rated: rubric and rules outside, data inside of markers. */
export async function askForRating(
  attempt: MetricTry,
  { instructions, blocks, scale, outputTokens, weighsTokens }: RatingQuestion,
): Promise<CallResult<Rating>> {
  const { models, random, signal } = attempt;
  const cut = cutBlocks(blocks);
  const data = markData(cut.blocks, random);
  const statuses = cut.isCut
    ? (['scored', 'not_applicable', 'inconclusive'] as const)
    : (['scored', 'not_applicable'] as const);
  const rules = ratingRules(scale, statuses);
  const request: ChatRequest = {
    messages: [
      { role: 'system', content: [role, instructions, data.rule, rules].join('\n\n') },
      { role: 'user', content: `${data.text}\n\n${rules}` },
    ],
    defaults: { temperature: 0, maxTokens: outputTokens },
    schema: ratingSchema(statuses),
    ...(weighsTokens && { weighsTokens }),
  };
  const question = { model: modelOf(attempt), request, shape: ratingAnswer(scale, statuses), who: 'The model' };
  const answered = await askStructured(models, question, signal);
  if (!answered.ok) return answered;
  const { value, tokens } = answered.value;
  const { score, status, reasoning } = value;
  if (status === 'inconclusive') return leftOpen(reasoning);
  if (status === 'not_applicable' || typeof score !== 'number')
    return notApplicable(reasoning || 'there is nothing to rate');
  return { ok: true, value: { score, reasoning, ...(tokens && { tokens }) } };
}

const role = 'You rate the work of an AI agent. You do not talk to anybody and you call no tools.';

type RatingStatus = 'scored' | 'not_applicable' | 'inconclusive';

/** The answer of a model that rates: a whole number on the scale, or why there is none. */
function ratingAnswer({ min, max }: ScoreRange, statuses: readonly RatingStatus[]) {
  return z
    .object({
      reasoning: lenientText,
      score: z.unknown(),
      status: lenientWord(statuses).optional().default('scored'),
    })
    .transform(({ reasoning, score, status }, context) => {
      if (status !== 'scored') return { reasoning, score: null, status };
      const number = lenientInt({ min, max }).safeParse(score);
      if (number.success) return { reasoning, score: number.data, status };
      context.addIssue({ code: 'custom', path: ['score'], message: `must be a whole number from ${min} to ${max}` });
      return z.NEVER;
    });
}

/** The same as a JSON Schema; reasoning stands before the score so that it is written first. */
const ratingSchema = (statuses: readonly RatingStatus[]) => ({
  name: 'rating',
  schema: {
    type: 'object',
    properties: {
      reasoning: { type: 'string' },
      score: { type: ['integer', 'null'] },
      status: { type: 'string', enum: statuses },
    },
    required: ['reasoning', 'score', 'status'],
    additionalProperties: false,
  },
});

/** The rules for the answer, said in the system message and once more after the data. */
function ratingRules({ min, max }: ScoreRange, statuses: readonly RatingStatus[]): string {
  const words = statuses.map((status) => JSON.stringify(status)).join(' or ');
  return [
    `Answer with one JSON object and nothing else: {"reasoning": "one or two sentences", "score": number or null, "status": ${words}}.`,
    `The score is a whole number from ${min} to ${max}. Reason briefly, then score. Use "not_applicable" with a null score only when there is nothing to rate.`,
    ...(statuses.includes('inconclusive')
      ? ['Use "inconclusive" with a null score only when the score hangs on characters that were left out.']
      : []),
  ].join('\n');
}

function rubricText({ rated, ignored, levels, examples }: Rubric): string {
  return [
    `What you rate: ${rated}`,
    `Leave out of account: ${ignored}`,
    ...levels.map(([score, meaning]) => `${score}: ${meaning}`),
    ...examples.map((example) => `Example: ${example}`),
  ].join('\n');
}
