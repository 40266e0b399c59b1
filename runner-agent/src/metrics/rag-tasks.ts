import type { Metric } from '@proofmark/contracts/metrics';
import { hangLines } from '../judge/hang-lines.ts';
import type { MetricSubject } from './metric-subject.ts';

export type RagInput = 'query' | 'response' | 'ground_truth' | 'chunks';

/** One RAG metric as data: what is split into items, what is asked about each, and how the verdicts become a score. */
export interface RagTask {
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
export function ragBlock(input: RagInput, subject: MetricSubject): { title: string; text: string } {
  return { title: titles[input], text: ragText(input, subject) };
}

export function ragText(input: RagInput, subject: MetricSubject): string {
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
export function ragScore(kind: RagTask['score'], verdicts: readonly boolean[]): number {
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
