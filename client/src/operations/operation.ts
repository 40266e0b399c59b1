import { VerdictWord } from '@proofmark/contracts/gate';
import { Problem } from '@proofmark/contracts/problem';
import { Conclusion } from '@proofmark/contracts/verdict';
import { RunStatus } from '@proofmark/contracts/words';
import { z } from 'zod';

/** One request to the coordinator: its text, and the shape that its answer must have. */
export interface Operation<Variables, Answer> {
  name: string;
  text: string;
  answer: z.ZodType<Answer>;
  /** Only in the type: what the text declares. */
  readonly variables?: Variables;
}

export function operation<Variables>() {
  return <Answer>(name: string, text: string, answer: z.ZodType<Answer>): Operation<Variables, Answer> => ({
    name,
    text,
    answer,
  });
}

/** Why a mutation did nothing: the members of its result beside the success. */
export interface Refusal {
  code: string;
  message: string;
  /** Mistakes in definition files, for annotations. */
  problems: Problem[];
  /** Arguments that are wrong. */
  arguments: { path: string; message: string }[];
  /** The run that has the idempotency key already. */
  runId: string | null;
  /** SHA-256 of files that must be uploaded first; absent when none is missing. */
  missingBlobs?: string[];
  /** The same again may work after this time; null: it will not. */
  retryAfterMs: number | null;
}

/** A remark about a file, as the coordinator sends it. */
export const AnsweredProblem = Problem.omit({ hint: true })
  .extend({ hint: z.string().nullish() })
  .transform(({ hint, ...problem }): Problem => (typeof hint === 'string' ? { ...problem, hint } : problem));

/** The failure of a mutation, whatever member of its result union it is. */
export const AnsweredRefusal = z
  .looseObject({
    __typename: z.string(),
    code: z.string(),
    message: z.string(),
    problems: z.array(AnsweredProblem).default([]),
    arguments: z.array(z.looseObject({ path: z.string(), message: z.string() })).default([]),
    runId: z.string().nullish(),
    digests: z.array(z.string()).default([]),
    retryAfterMs: z.number().min(0).nullish(),
  })
  .transform(
    ({ code, message, problems, arguments: wrong, digests, runId, retryAfterMs }): Refusal => ({
      code,
      message,
      problems,
      arguments: wrong.map((one) => ({ path: one.path, message: one.message })),
      runId: runId ?? null,
      ...(digests.length === 0 ? {} : { missingBlobs: digests }),
      retryAfterMs: retryAfterMs ?? null,
    }),
  );

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

export const AnsweredConclusion = wordOf(Conclusion.options);
export const AnsweredVerdictWord = wordOf(VerdictWord.options);
export const AnsweredRunStatus = wordOf(RunStatus.options);

/** A remark on a line of a file, as the coordinator renders it. */
export const AnsweredAnnotation = z.looseObject({
  path: z.string(),
  line: z.int().min(1),
  level: z.enum(['failure', 'warning', 'notice']),
  title: z.string(),
  message: z.string(),
});
