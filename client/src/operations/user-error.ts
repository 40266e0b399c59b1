import { Problem } from '@proofmark/contracts/problem';
import { z } from 'zod';

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
