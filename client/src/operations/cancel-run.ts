import { z } from 'zod';
import { operation } from '../operation.ts';
import { AnsweredRefusal, type Refusal } from './user-error.ts';

export type CancelledRun = { ok: true; changed: boolean } | { ok: false; refusal: Refusal };

const Success = z
  .looseObject({ __typename: z.literal('CancelRunSuccess'), changed: z.boolean() })
  .transform(({ changed }): CancelledRun => ({ ok: true, changed }));

const Failure = AnsweredRefusal.transform((refusal): CancelledRun => ({ ok: false, refusal }));

export const cancelRunOperation = operation<{ id: string }>()(
  'CancelRun',
  `mutation CancelRun($id: UUID!) {
    cancelRun(id: $id) {
      __typename
      ... on CancelRunSuccess { changed }
      ... on UserError { code message }
    }
  }`,
  z.looseObject({ cancelRun: z.union([Success, Failure]) }).transform(({ cancelRun }) => cancelRun),
);
