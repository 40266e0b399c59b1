import { VerdictWord } from '@proofmark/contracts/gate';
import { Conclusion } from '@proofmark/contracts/verdict';
import { RunStatus } from '@proofmark/contracts/words';

type Replaced<Word extends string, Sign extends string> = Word extends `${infer Head}${Sign}${infer Tail}`
  ? `${Head}_${Replaced<Tail, Sign>}`
  : Word;

/** How the schema spells a word. */
export type Constant<Word extends string> = Uppercase<Replaced<Replaced<Word, '-'>, ':'>>;

export const constantOf = <Word extends string>(word: Word): Constant<Word> =>
  word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_') as Constant<Word>; // as the type says of each word

/** The schema spells words as constants: `NO_BASELINE` is our `no-baseline`, `TIMED_OUT` GitHub's `timed_out`. */
export function wordOf<Word extends string>(words: readonly Word[], constant: string): Word {
  const word = words.find((one) => constantOf(one) === constant);
  if (word === undefined) throw new Error(`unknown word ${constant}`);
  return word;
}

export const runStatusOf = (constant: string): RunStatus => wordOf(RunStatus.options, constant);
export const verdictWordOf = (constant: string | null): VerdictWord | null =>
  constant === null ? null : wordOf(VerdictWord.options, constant);
export const conclusionOf = (constant: string | null): Conclusion | null =>
  constant === null ? null : wordOf(Conclusion.options, constant);
