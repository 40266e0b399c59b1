import { VerdictWord } from '@proofmark/contracts/gate';
import { Conclusion } from '@proofmark/contracts/verdict';
import { z } from 'zod';

const constantOf = (word: string): string => word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');

/** The schema spells words as constants: `NO_BASELINE` is our `no-baseline`, `TIMED_OUT` GitHub's `timed_out`. */
export function wordOf<Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.string().transform((constant, context) => {
    const word = words.find((one) => constantOf(one) === constant);
    if (word !== undefined) return word;
    context.addIssue({ code: 'custom', message: `unknown word ${constant}` });
    return z.NEVER;
  });
}

const runStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

export const AnsweredConclusion = wordOf(Conclusion.options);
export const AnsweredVerdictWord = wordOf(VerdictWord.options);
export const AnsweredRunStatus = wordOf(runStatuses);
