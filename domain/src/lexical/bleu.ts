import { clippedOverlap, countNGrams, nGramTotal } from './n-grams.ts';
import { tokenize13a } from './tokenize-13a.ts';

export interface Bleu {
  score: number;
  /** Of orders 1 to 4 after smoothing; 0 for an order that the response is too short for. */
  precisions: number[];
  brevityPenalty: number;
}

const orders = [1, 2, 3, 4];

/**
 * Sentence BLEU with 13a tokens, exponential smoothing and effective order; null when the reference has no token. No
 * match at any order is 0, and an order without n-grams in the response ends the mean early.
 */
export function bleu(response: string, truth: string): Bleu | null {
  const hypothesis = tokenize13a(response);
  const reference = tokenize13a(truth);
  if (reference.length === 0) return null;
  const counted = orders.map((n) => ({
    matches: clippedOverlap(countNGrams(hypothesis, n), countNGrams(reference, n)),
    total: nGramTotal(hypothesis.length, n),
  }));
  const brevityPenalty = penalty(hypothesis.length, reference.length);
  if (counted.every(({ matches }) => matches === 0)) return { score: 0, precisions: [0, 0, 0, 0], brevityPenalty };
  const precisions = smooth(counted);
  const used = precisions.filter((_, index) => (counted[index]?.total ?? 0) > 0);
  const meanLog = used.reduce((sum, precision) => sum + Math.log(precision), 0) / used.length;
  return { score: Math.min(1, brevityPenalty * Math.exp(meanLog)), precisions, brevityPenalty };
}

function smooth(counted: readonly { matches: number; total: number }[]): number[] {
  let zeroOrders = 0;
  return counted.map(({ matches, total }) => {
    if (total === 0) return 0;
    if (matches > 0) return matches / total;
    zeroOrders += 1;
    return 1 / (2 ** zeroOrders * total);
  });
}

function penalty(response: number, reference: number): number {
  if (response >= reference) return 1;
  return response === 0 ? 0 : Math.exp(1 - reference / response);
}
