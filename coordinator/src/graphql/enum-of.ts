import { builder } from './builder.ts';

/** A GraphQL enum over the words of the ledger: `no-baseline` becomes NO_BASELINE. */
export function enumOf<const Word extends string>(name: string, description: string, words: Record<Word, string>) {
  const values = Object.entries<string>(words).map(([word, sentence]) => [
    constant(word),
    { value: word, description: sentence },
  ]);
  return builder.enumType<string, Record<string, { value: Word; description: string }>>(name, {
    description,
    values: Object.fromEntries(values),
  });
}

function constant(word: string): string {
  return word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}
