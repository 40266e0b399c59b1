import type { Phrase } from '@proofmark/contracts/verdict';
import { redactText } from './redact-text.ts';
import { cutText, visibleText } from './visible-text.ts';

const asciiPunctuation = /[!-/:-@[-`{-~]/g;
// Renderers also find addresses in decoded text; a break opportunity inside keeps them from becoming links.
const insideAnAddress = /(?<=@|:(?=\/\/))|(?<=www)(?=\.)/iu;

/**
 * Text of the repository for use inside a line, a heading or a table cell: `<code>` in which every ASCII punctuation
 * character is a numeric entity, line breaks are spaces, and more than `maxUnits` is cut. Empty text is `(empty)`.
 */
export function inlineCode(text: string, maxUnits = 200): string {
  if (text.trim() === '') return '(empty)';
  const line = visibleText(redactText(text)).replaceAll(/[\n\t]/g, ' ');
  const pieces = cutText(line, maxUnits).split(insideAnAddress).map(entities);
  return `<code>${pieces.join('<wbr>')}</code>`;
}

const entities = (text: string): string =>
  text.replaceAll(asciiPunctuation, (character) => `&#${character.charCodeAt(0)};`);

const plainName = /^[\p{L}\p{N}]+(?:[ _][\p{L}\p{N}]+)*$/u;
const looksLikeCommit = /\b[0-9a-f]{7,}\b/i;

/** A name as it is when it is nothing but words (seed 000 shows names plainly), otherwise `inlineCode`. */
export function inlineName(text: string, maxUnits = 200): string {
  const isPlain = text.length <= maxUnits && plainName.test(text) && !looksLikeCommit.test(text);
  return isPlain ? text : inlineCode(text, maxUnits);
}

export interface BlockLimits {
  maxUnits?: number;
  maxLines?: number;
  maxLineUnits?: number;
  /** What the block holds, for whoever colours it. */
  info?: 'text' | 'diff' | 'sh';
}

/**
 * Text of models, tools and people as a block of its own: a fence longer than any run of backticks inside, at column 0.
 * Too much text or too many lines are cut with a mark; blank text is the words `(empty)`. Put blank lines around it.
 */
export function fencedBlock(
  text: string,
  { maxUnits = 20_000, maxLines = 400, maxLineUnits = 4_000, info = 'text' }: BlockLimits = {},
): string {
  if (text.trim() === '') return '(empty)';
  const cut = cutLines(cutText(visibleText(redactText(text)), maxUnits), maxLines, maxLineUnits);
  const longestRun = Math.max(0, ...Array.from(cut.matchAll(/`+/g), (run) => run[0].length));
  const fence = '`'.repeat(Math.max(3, longestRun + 1));
  return `${fence}${info}\n${cut}\n${fence}`;
}

function cutLines(text: string, maxLines: number, maxLineUnits: number): string {
  const lines = text.split('\n');
  const kept = lines.slice(0, maxLines).map((line) => cutText(line, maxLineUnits));
  const rest = lines.length - maxLines;
  if (rest > 0) kept.push(`… ${rest} more ${rest === 1 ? 'line' : 'lines'}`);
  return kept.join('\n');
}

/** Markdown blocks with one blank line between them; empty ones are left out. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** A phrase for Markdown: names as code in which nothing of them is markup. Our own words need no escaping. */
export function markdownPhrase(phrase: Phrase): string {
  return phrase.map((part) => (typeof part === 'string' ? part : inlineCode(part.code))).join('');
}
