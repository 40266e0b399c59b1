import type { Phrase } from '@proofmark/contracts/verdict';
import { inlineCode } from './markdown-text.ts';

/** A phrase for Markdown: names as code in which nothing of them is markup. Our own words need no escaping. */
export function markdownPhrase(phrase: Phrase): string {
  return phrase.map((part) => (typeof part === 'string' ? part : inlineCode(part.code))).join('');
}
