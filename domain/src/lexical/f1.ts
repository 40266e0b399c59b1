import { fMeasure } from './f-measure.ts';
import { clippedOverlap, countNGrams } from './n-grams.ts';
import { asciiPunctuation } from './plain-text.ts';
import { words } from './tokenize-13a.ts';

/** F of the words that both texts have, articles and ASCII punctuation aside; null when the reference has no word. */
export function f1(response: string, truth: string): number | null {
  const a = f1Tokens(response);
  const b = f1Tokens(truth);
  if (b.length === 0) return null;
  return fMeasure(clippedOverlap(countNGrams(a, 1), countNGrams(b, 1)), a.length, b.length).f;
}

function f1Tokens(text: string): string[] {
  const plain = text.toLowerCase().replace(asciiPunctuation, '');
  return words(plain.replace(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu, ' '));
}
