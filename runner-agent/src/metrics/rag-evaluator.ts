import type { Metric } from '@proofmark/contracts/metrics';
import { z } from 'zod';
import { askStructured } from '../judge/ask-structured.ts';
import { cutMiddle, type DataBlock, hangLines, judgedText, markData } from '../judge/data-blocks.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ChatRequest } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type Evaluator, type MetricTry, modelOf, notApplicable, type RawScore } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';

type RagInput = 'query' | 'response' | 'ground_truth' | 'chunks';

/** One RAG metric as data: what is split into items, what is asked about each, and how the verdicts become a score. */
interface RagTask {
  needs: readonly RagInput[];
  /** What the items are made of; `chunks` themselves are the items where nothing is split. */
  itemsOf: { input: RagInput; what: string } | 'chunks';
  /** Asked about every item; true is good. */
  question: string;
  /** What the second call sees beside the items. */
  evidence: readonly RagInput[];
  ifNoItems: 'not_applicable' | 'missing_input';
  score: 'share' | 'average_precision';
}

export const ragTasks: Readonly<Record<NonNullable<Metric['metric_type']>, RagTask>> = {
  faithfulness: {
    needs: ['response', 'chunks'],
    itemsOf: { input: 'response', what: 'factual claims that the response makes' },
    question: 'Is the claim supported by the retrieved chunks? A claim that they do not mention is not supported.',
    evidence: ['chunks'],
    ifNoItems: 'not_applicable',
    score: 'share',
  },
  answer_relevancy: {
    needs: ['query', 'response'],
    itemsOf: { input: 'response', what: 'statements of the response, questions to the user included' },
    question: 'Does the statement address the query?',
    evidence: ['query'],
    ifNoItems: 'not_applicable',
    score: 'share',
  },
  contextual_relevancy: {
    needs: ['query', 'chunks'],
    itemsOf: { input: 'chunks', what: 'statements of the retrieved chunks' },
    question: 'Is the statement relevant to the query?',
    evidence: ['query'],
    ifNoItems: 'missing_input',
    score: 'share',
  },
  contextual_precision: {
    needs: ['query', 'ground_truth', 'chunks'],
    itemsOf: 'chunks',
    question: 'Is the chunk useful for arriving at the reference answer to the query?',
    evidence: ['query', 'ground_truth'],
    ifNoItems: 'missing_input',
    score: 'average_precision',
  },
  contextual_recall: {
    needs: ['ground_truth', 'chunks'],
    itemsOf: { input: 'ground_truth', what: 'statements of the reference answer' },
    question: 'Can the statement be attributed to the retrieved chunks?',
    evidence: ['chunks'],
    ifNoItems: 'not_applicable',
    score: 'share',
  },
};

const titles: Readonly<Record<RagInput, string>> = {
  query: 'Query',
  response: 'Response of the agent',
  ground_truth: 'Reference answer',
  chunks: 'Retrieved chunks',
};

/** The block of one input. */
function ragBlock(input: RagInput, subject: MetricSubject): { title: string; text: string } {
  return { title: titles[input], text: ragText(input, subject) };
}

function ragText(input: RagInput, subject: MetricSubject): string {
  switch (input) {
    case 'ground_truth':
      return subject.groundTruth ?? '';
    case 'chunks':
      return subject.chunks.map((chunk, index) => `chunk ${index + 1}: ${hangLines(chunk)}`).join('\n\n');
    case 'query':
    case 'response':
      return subject[input];
  }
}

/** The share of true verdicts, or the average precision over their order; 0 when none is true. */
function ragScore(kind: RagTask['score'], verdicts: readonly boolean[]): number {
  const useful = verdicts.filter(Boolean).length;
  if (kind === 'share') return useful / verdicts.length;
  let [found, sum] = [0, 0];
  for (const [index, isUseful] of verdicts.entries()) {
    if (!isUseful) continue;
    found += 1;
    sum += found / (index + 1);
  }
  return useful === 0 ? 0 : sum / useful;
}

const maxItems = 30;
const outputTokens = 3_000;
const passesFrom = 0.5;

/** A RAG metric: one call splits a text into items, a second one decides about each by its number. */
export function ragEvaluator(task: RagTask): Evaluator {
  return {
    kind: 'rag',
    asks: 'chat',
    scale: { min: 0, max: 1 },
    missingInput: (_metric, subject) => task.needs.find((input) => ragText(input, subject).trim() === ''),
    shows: (_metric, subject) => task.needs.map((input) => ragBlock(input, subject)),
    begin: () => {
      let items: readonly string[] | undefined;
      return async (attempt) => {
        const split = items === undefined ? await splitItems(attempt, task) : { ok: true as const, value: items };
        if (!split.ok) return split;
        items = split.value;
        return items.length === 0 ? noItems(task) : await decide(attempt, task, items);
      };
    },
  };
}

function noItems({ ifNoItems }: RagTask): CallResult<never> {
  const message = 'there is no statement to decide about';
  if (ifNoItems === 'not_applicable') return notApplicable(message);
  return { ok: false, failure: finalFailure('agent', `missing_input: ${message}`) };
}

const Items = z.strictObject({ items: z.array(z.string()) });

async function splitItems(attempt: MetricTry, { itemsOf }: RagTask): Promise<CallResult<readonly string[]>> {
  const { subject, models, random, signal } = attempt;
  if (itemsOf === 'chunks') return { ok: true, value: subject.chunks.slice(0, maxItems) };
  const rules =
    'Answer with one JSON object and nothing else: {"items": ["…"]}. Each item is one short sentence that can be understood by itself; the list is empty when there is none.';
  const request = twoPartRequest({
    task: `List the ${itemsOf.what}, at most ${maxItems}, in their order.`,
    rules,
    blocks: [ragBlock(itemsOf.input, subject)],
    random,
    schema: itemsSchema,
  });
  const answered = await askStructured(
    models,
    { model: modelOf(attempt), request, shape: Items, who: 'The model' },
    signal,
  );
  if (!answered.ok) return answered;
  const items = answered.value.value.items.filter((item) => item.trim() !== '');
  return { ok: true, value: items.slice(0, maxItems) };
}

const Verdicts = z.strictObject({
  verdicts: z.array(z.strictObject({ number: z.int(), reasoning: z.string().default(''), verdict: z.boolean() })),
});

async function decide(attempt: MetricTry, task: RagTask, items: readonly string[]): Promise<CallResult<RawScore>> {
  const { metric, subject, models, random, signal } = attempt;
  const numbered = items.map((item, index) => `${index + 1}. ${hangLines(item)}`).join('\n\n');
  const request = twoPartRequest({
    task: metric.custom_prompt ?? `Decide about each numbered item: ${task.question}`,
    rules: `Answer with one JSON object and nothing else: {"verdicts": [{"number": 1, "reasoning": "one sentence", "verdict": true or false}]}. Give one verdict for each number from 1 to ${items.length}.`,
    blocks: [...task.evidence.map((input) => ragBlock(input, subject)), { title: 'Items', text: numbered }],
    random,
    schema: verdictsSchema,
  });
  const question = { model: modelOf(attempt), request, shape: Verdicts, who: 'The model' };
  const answered = await askStructured(models, question, signal);
  if (!answered.ok) return answered;
  const byNumber = new Map(answered.value.value.verdicts.map((verdict) => [verdict.number, verdict]));
  const verdicts = items.flatMap((_, index) => byNumber.get(index + 1) ?? []);
  if (verdicts.length !== items.length || answered.value.value.verdicts.length !== items.length) {
    return badAnswer('The model did not decide about each item exactly once');
  }
  const raw = ragScore(
    task.score,
    verdicts.map(({ verdict }) => verdict),
  );
  return { ok: true, value: { raw, reasoning: reasonsAgainst(items, verdicts), verdict: raw >= passesFrom } };
}

/** Why the score is not full: the items that were decided against. */
function reasonsAgainst(
  items: readonly string[],
  verdicts: readonly { verdict: boolean; reasoning: string }[],
): string {
  const against = verdicts.flatMap(({ verdict, reasoning }, index) =>
    verdict ? [] : [`${items[index] ?? ''}: ${reasoning}`],
  );
  const counted = `${verdicts.length - against.length} of ${verdicts.length}`;
  return [counted, ...against].join('\n');
}

function twoPartRequest({
  task,
  rules,
  blocks,
  random,
  schema,
}: {
  task: string;
  rules: string;
  blocks: readonly DataBlock[];
  random: () => number;
  schema: NonNullable<ChatRequest['schema']>;
}): ChatRequest {
  const data = markData(
    blocks.map(({ title, text }) => ({ title, text: cutMiddle(text, judgedText).text })),
    random,
  );
  const role = 'You check the work of an AI agent. You do not talk to anybody and you call no tools.';
  return {
    messages: [
      { role: 'system', content: [role, task, data.rule, rules].join('\n\n') },
      { role: 'user', content: `${data.text}\n\n${rules}` },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema,
  };
}

const itemsSchema = {
  name: 'items',
  schema: {
    type: 'object',
    properties: { items: { type: 'array', items: { type: 'string' } } },
    required: ['items'],
    additionalProperties: false,
  },
};

const verdictsSchema = {
  name: 'verdicts',
  schema: {
    type: 'object',
    properties: {
      verdicts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            number: { type: 'integer' },
            reasoning: { type: 'string' },
            verdict: { type: 'boolean' },
          },
          required: ['number', 'reasoning', 'verdict'],
          additionalProperties: false,
        },
      },
    },
    required: ['verdicts'],
    additionalProperties: false,
  },
};
