import type { Phrase } from '@proofmark/contracts/verdict';

/** The phrase for terminals and logs: names stand in backticks. */
export function plainPhrase(phrase: Phrase): string {
  return phrase.map((part) => (typeof part === 'string' ? part : `\`${part.code}\``)).join('');
}

/** More names than this tell nobody anything. */
export const mostNames = 10;

/** Names as parts of a phrase, separated by commas; of many the first ones and how many more there are. */
export function nameList(names: readonly string[]): Phrase {
  const shown = names
    .slice(0, mostNames)
    .flatMap((name, index): Phrase => (index === 0 ? [{ code: name }] : [', ', { code: name }]));
  return names.length > mostNames ? [...shown, ` and ${names.length - mostNames} more`] : shown;
}
