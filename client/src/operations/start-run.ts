import type { Problem } from '@proofmark/contracts/problem';
import type { StartRequest } from '@proofmark/contracts/start-run-input';
import { z } from 'zod';
import { AnsweredProblem, AnsweredRefusal, operation, type Refusal } from './operation.ts';

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

export const startRunOperation = operation<{ input: StartRequest }>()(
  'StartRun',
  `mutation StartRun($input: StartRunInput!) {
    startRun(input: $input) {${startedFields}
    }
  }`,
  z.looseObject({ startRun: AnsweredStart }).transform(({ startRun }) => startRun),
);

/** What of a stored suite or test is run: one of both ids, and values beside what is stored. */
export type StartStoredRequest = ({ suiteId: string } | { testCaseId: string }) &
  Pick<StartRequest, 'idempotencyKey' | 'selection' | 'assignments' | 'preset' | 'matrix' | 'repetitions'>;

export const startStoredRunOperation = operation<{ input: StartStoredRequest }>()(
  'StartStoredRun',
  `mutation StartStoredRun($input: StartStoredRunInput!) {
    startStoredRun(input: $input) {${startedFields}
    }
  }`,
  z.looseObject({ startStoredRun: AnsweredStart }).transform(({ startStoredRun }) => startStoredRun),
);
