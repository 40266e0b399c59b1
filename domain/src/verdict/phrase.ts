import type { Phrase } from '@proofmark/contracts/verdict';

/** The phrase for terminals and logs: names stand in backticks. */
export function plainPhrase(phrase: Phrase): string {
  return phrase.map((part) => (typeof part === 'string' ? part : `\`${part.code}\``)).join('');
}

/** Names as parts of a phrase, separated by commas. */
export function nameList(names: readonly string[]): Phrase {
  return names.flatMap((name, index) => (index === 0 ? [{ code: name }] : [', ', { code: name }]));
}
