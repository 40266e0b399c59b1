import type { Problem } from '@proofmark/contracts/problem';
import { z } from 'zod';
import { AnsweredProblem, AnsweredRefusal, operation, type Refusal } from './operation.ts';

/** What `startRun` takes; the coordinator checks it again and trusts nothing. */
export interface StartRunInput {
  /** The same key is the same run, whatever the number of tries. */
  idempotencyKey: string;
  trigger: {
    triggeredBy: 'MANUAL' | 'SCHEDULE' | 'CI' | 'API';
    event?: string | null;
    host?: string | null;
    repositoryExternalId?: string | null;
    repositoryFullName?: string | null;
    ref?: string | null;
    headSha?: string | null;
    baseSha?: string | null;
    pullRequest?: number | null;
    author?: string | null;
    workflowRunId?: string | null;
    workflowRunAttempt?: string | null;
    /** Only given where it is so: a coordinator from before it was asked for refuses to hear it. */
    isFork?: true;
  };
  files: { path: string; text: string }[];
  suitePaths: string[];
  projectPath?: string | null;
  /** Local files that cases name, by the SHA-256 of their content. */
  caseFiles?: { path: string; sha256: string }[];
  selection?: { cases: string[]; tags: string[]; difficulty?: string | null; suites: string[]; unaffected?: string[] };
  assignments?: { name: string; text: string }[];
  variables?: Record<string, string | number | boolean>;
  preset?: string | null;
  matrix?: { name: string; values: (string | number | boolean)[] }[];
  repetitions?: number | null;
  settings?: {
    onError?: 'BLOCK' | 'ALLOW';
    comment?: 'REGRESSIONS' | 'CHANGES' | 'ALWAYS' | 'OFF';
    commentKey?: string;
    checkName?: string;
    minPassRate?: number | null;
    baseline?: 'AUTO' | 'RUN' | 'NONE';
    reuse?: boolean;
    budgetUsd?: number | null;
  };
  notes?: string | null;
  /** Why nothing can be run: the check of the commit says so. Only given where it is so, as above. */
  invalid?: { file: string; line: number; message: string }[];
}

/** `hasApp`: the coordinator itself writes checks and comment. */
export type StartedRun =
  | {
      ok: true;
      runId: string;
      created: boolean;
      isDelayed: boolean;
      hasApp: boolean;
      /** What is doubtful in the files, though it stops nothing. */
      warnings: Problem[];
    }
  | { ok: false; refusal: Refusal };

const Success = z
  .looseObject({
    __typename: z.literal('StartRunSuccess'),
    created: z.boolean(),
    dispatch: z.string(),
    reporting: z.string(),
    warnings: z.array(AnsweredProblem).default([]),
    run: z.looseObject({ id: z.uuid() }),
  })
  .transform(
    ({ run, created, dispatch, reporting, warnings }): StartedRun => ({
      ok: true,
      runId: run.id,
      created,
      isDelayed: dispatch === 'DELAYED',
      hasApp: reporting === 'APP',
      warnings,
    }),
  );

const Failure = AnsweredRefusal.transform((refusal): StartedRun => ({ ok: false, refusal }));

/** What the answer of every mutation holds that starts a run. */
export const startedFields = `
      __typename
      ... on StartRunSuccess { created dispatch reporting run { id } warnings { severity code file line column path message hint } }
      ... on UserError { code message }
      ... on InvalidDefinitions { problems { severity code file line column path message hint } }
      ... on InvalidInput { arguments: problems { path message } }
      ... on IdempotencyConflict { runId }
      ... on MissingBlobs { digests }
      ... on RateLimited { retryAfterMs }`;

/** A run that was started, whatever it was started from. */
export const AnsweredStart = z.union([Success, Failure]);

export const startRunOperation = operation<{ input: StartRunInput }>()(
  'StartRun',
  `mutation StartRun($input: StartRunInput!) {
    startRun(input: $input) {${startedFields}
    }
  }`,
  z.looseObject({ startRun: AnsweredStart }).transform(({ startRun }) => startRun),
);
