import type { Metric } from '@proofmark/contracts/metrics';
import { z } from 'zod';
import { askStructured, leftOpen } from '../judge/ask-structured.ts';
import { cutBlocks, type DataBlock, hangLines, markData } from '../judge/data-blocks.ts';
import { lenientBoolean, lenientInt, lenientText } from '../judge/extract-answer.ts';
import type { AnswerShape, CallResult, ChatRequest } from '../models/model-port.ts';
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

/** What is decided about in one request: more at once, and a model begins to skip. */
const itemsPerRequest = 30;
/** A text of more statements is judged by its first ones, and says so. */
const mostItems = 120;
const outputTokens = 3_000;
const listTokens = 6_000;
const passesFrom = 0.5;

/** A RAG metric: one call splits a text into items, further ones decide about each by its number. */
export function ragEvaluator(task: RagTask): Evaluator {
  return {
    kind: 'rag',
    asks: 'chat',
    scale: { min: 0, max: 1 },
    missingInput: (_metric, subject) => task.needs.find((input) => ragText(input, subject).trim() === ''),
    shows: (_metric, subject) => task.needs.map((input) => ragBlock(input, subject)),
    begin: () => {
      let found: Split | undefined;
      const known = new Map<number, readonly Verdict[]>();
      return async (attempt) => {
        const split = found === undefined ? await splitItems(attempt, task) : { ok: true as const, value: found };
        if (!split.ok) return split;
        found = split.value;
        return found.items.length === 0 ? noItems(task) : await decideAll(attempt, { task, split: found, known });
      };
    },
  };
}

function noItems({ ifNoItems }: RagTask): CallResult<never> {
  const message = 'there is no statement to decide about';
  if (ifNoItems === 'not_applicable') return notApplicable(message);
  return { ok: false, failure: finalFailure('agent', `missing_input: ${message}`) };
}

interface Split {
  items: readonly string[];
  /** How many there are beyond those. */
  leftOut: number;
  /** Whether the text was longer than what a model reads of it. */
  isCut: boolean;
}

const Items = z.object({ items: z.array(z.string()) });

async function splitItems(attempt: MetricTry, { itemsOf }: RagTask): Promise<CallResult<Split>> {
  const { subject, models, random, signal } = attempt;
  if (itemsOf === 'chunks') return { ok: true, value: { ...firstItems(subject.chunks), isCut: false } };
  const rules =
    'Answer with one JSON object and nothing else: {"items": ["…"]}. Each item is one short sentence that can be understood by itself; the list is empty when there is none.';
  const { request, isCut } = twoPartRequest({
    task: `List the ${itemsOf.what}, all of them and each once, in their order. Add nothing that the text does not say.`,
    rulesFor: () => rules,
    blocks: [ragBlock(itemsOf.input, subject)],
    random,
    schemaFor: () => itemsSchema,
    maxTokens: listTokens,
  });
  const question = { model: modelOf(attempt), request, shape: Items, who: 'The model' };
  const answered = await askStructured(models, question, signal);
  if (!answered.ok) return answered;
  const found = answered.value.value.items.filter((item) => item.trim() !== '');
  return { ok: true, value: { ...firstItems(found), isCut } };
}

const firstItems = (items: readonly string[]): Omit<Split, 'isCut'> => ({
  items: items.slice(0, mostItems),
  leftOut: Math.max(0, items.length - mostItems),
});

interface Verdict {
  reasoning: string;
  /** Null: it hangs on something that was cut. */
  verdict: boolean | null;
}

interface Deciding {
  task: RagTask;
  split: Split;
  /** By the number of the batch: what an earlier try has decided is not asked again. */
  known: Map<number, readonly Verdict[]>;
}

async function decideAll(attempt: MetricTry, { task, split, known }: Deciding): Promise<CallResult<RawScore>> {
  const { items, leftOut, isCut } = split;
  const batches = Array.from({ length: Math.ceil(items.length / itemsPerRequest) }, (_, batch) => batch);
  const decided = await Promise.all(
    batches.map(async (batch) => {
      const earlier = known.get(batch);
      if (earlier !== undefined) return { ok: true as const, value: earlier };
      const some = items.slice(batch * itemsPerRequest, (batch + 1) * itemsPerRequest);
      const answered = await decide(attempt, task, some);
      if (answered.ok) known.set(batch, answered.value);
      return answered;
    }),
  );
  const failure = decided.find((one) => !one.ok);
  if (failure !== undefined) return failure;
  const verdicts = decided.flatMap((one) => (one.ok ? one.value : []));
  const open = verdicts.filter(({ verdict }) => verdict === null);
  if (open.length > 0) return leftOpen(`${open.length} of ${verdicts.length}: ${open[0]?.reasoning ?? ''}`);
  const raw = ragScore(
    task.score,
    verdicts.map(({ verdict }) => verdict === true),
  );
  const notes = [
    ...(leftOut === 0 ? [] : [`${leftOut} more were not decided about`]),
    ...(isCut ? ['The middle of the text was left out, so that nothing of it was decided about'] : []),
  ];
  return {
    ok: true,
    value: { raw, reasoning: [reasonsAgainst(items, verdicts), ...notes].join('\n'), verdict: raw >= passesFrom },
  };
}

const Verdicts = z.object({
  verdicts: z.array(
    z.object({
      number: lenientInt({ min: 1, max: itemsPerRequest }),
      reasoning: lenientText,
      verdict: lenientBoolean.nullable(),
    }),
  ),
});

async function decide(
  attempt: MetricTry,
  task: RagTask,
  items: readonly string[],
): Promise<CallResult<readonly Verdict[]>> {
  const { metric, subject, models, random, signal } = attempt;
  const numbered = items.map((item, index) => `${index + 1}. ${hangLines(item)}`).join('\n\n');
  const { request, isCut } = twoPartRequest({
    task: metric.custom_prompt ?? `Decide about each numbered item: ${task.question}`,
    rulesFor: (mayBeOpen) => verdictRules(items.length, mayBeOpen),
    blocks: [...task.evidence.map((input) => ragBlock(input, subject)), { title: 'Items', text: numbered }],
    random,
    schemaFor: verdictsSchema,
    maxTokens: outputTokens,
  });
  const question = {
    ...{ model: modelOf(attempt), request, shape: Verdicts, who: 'The model' },
    problemOf: ({ verdicts }: z.output<typeof Verdicts>) => {
      const numbers = new Set(verdicts.map(({ number }) => number));
      if (verdicts.length !== items.length || numbers.size !== items.length || Math.max(...numbers) > items.length)
        return `it does not decide about each number from 1 to ${items.length} exactly once`;
      return !isCut && verdicts.some(({ verdict }) => verdict === null)
        ? 'each verdict must be true or false'
        : undefined;
    },
  };
  const answered = await askStructured(models, question, signal);
  if (!answered.ok) return answered;
  return { ok: true, value: answered.value.value.verdicts.toSorted((a, b) => a.number - b.number) };
}

const verdictRules = (items: number, mayBeOpen: boolean): string =>
  [
    `Answer with one JSON object and nothing else: {"verdicts": [{"number": 1, "reasoning": "one sentence", "verdict": true or false${mayBeOpen ? ' or null' : ''}}]}. Give one verdict for each number from 1 to ${items}.`,
    ...(mayBeOpen ? ['null only where the verdict hangs on characters that were left out.'] : []),
  ].join('\n');

/** Why the score is not full: the items that were decided against. */
function reasonsAgainst(items: readonly string[], verdicts: readonly Verdict[]): string {
  const against = verdicts.flatMap(({ verdict, reasoning }, index) =>
    verdict ? [] : [`${items[index] ?? ''}: ${reasoning}`],
  );
  const counted = `${verdicts.length - against.length} of ${verdicts.length}`;
  return [counted, ...against].join('\n');
}

interface TwoParts {
  task: string;
  /** `mayBeOpen`: something was cut, and an item may hang on it. */
  rulesFor: (mayBeOpen: boolean) => string;
  blocks: readonly DataBlock[];
  random: () => number;
  schemaFor: (mayBeOpen: boolean) => AnswerShape;
  maxTokens: number;
}

function twoPartRequest({ task, rulesFor, blocks, random, schemaFor, maxTokens }: TwoParts): {
  request: ChatRequest;
  isCut: boolean;
} {
  const { blocks: shown, isCut } = cutBlocks(blocks);
  const data = markData(shown, random);
  const rules = rulesFor(isCut);
  const role = 'You check the work of an AI agent. You do not talk to anybody and you call no tools.';
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: [role, task, data.rule, rules].join('\n\n') },
    { role: 'user', content: `${data.text}\n\n${rules}` },
  ];
  return { request: { messages, defaults: { temperature: 0, maxTokens }, schema: schemaFor(isCut) }, isCut };
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

const verdictsSchema = (mayBeOpen: boolean): AnswerShape => ({
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
            verdict: { type: mayBeOpen ? ['boolean', 'null'] : 'boolean' },
          },
          required: ['number', 'reasoning', 'verdict'],
          additionalProperties: false,
        },
      },
    },
    required: ['verdicts'],
    additionalProperties: false,
  },
});
