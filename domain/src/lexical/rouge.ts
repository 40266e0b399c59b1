import { type FMeasure, fMeasure } from './f-measure.ts';
import { longestCommonSubsequence } from './longest-common-subsequence.ts';
import { clippedOverlap, countNGrams, nGramTotal } from './n-grams.ts';

/** ROUGE-N without stemming; null when the reference has no token. Only ASCII letters and digits count. */
export function rougeN(response: string, truth: string, n: 1 | 2): FMeasure | null {
  const a = rougeTokens(response);
  const b = rougeTokens(truth);
  if (b.length === 0) return null;
  const shared = clippedOverlap(countNGrams(a, n), countNGrams(b, n));
  return fMeasure(shared, nGramTotal(a.length, n), nGramTotal(b.length, n));
}

/** ROUGE-L over the whole texts as one sentence each; null when the reference has no token. */
export function rougeL(response: string, truth: string): FMeasure | null {
  const a = rougeTokens(response);
  const b = rougeTokens(truth);
  if (b.length === 0) return null;
  return fMeasure(longestCommonSubsequence(a, b), a.length, b.length);
}

function rougeTokens(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== '');
}
