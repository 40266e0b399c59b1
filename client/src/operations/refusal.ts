import { Problem } from '@proofmark/contracts/problem';
import type { FileProblemFragment, RefusedFragment, StartedFragment } from './documents.ts';

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

/** The failure of a mutation, whatever member of its result union it is: one that a later version adds has a code, too. */
export function refusalOf(refused: RefusedFragment): Refusal {
  return {
    code: refused.code,
    message: refused.message,
    problems: 'problems' in refused ? refused.problems.map(problemOf) : [],
    arguments: 'arguments' in refused ? refused.arguments : [],
    runId: 'runId' in refused ? refused.runId : null,
    ...('digests' in refused ? { missingBlobs: refused.digests } : {}),
    retryAfterMs: 'retryAfterMs' in refused ? refused.retryAfterMs : null,
  };
}

/** A remark about a file, as the coordinator sends it. */
const problemOf = ({ hint, ...problem }: FileProblemFragment): Problem =>
  Problem.parse(hint === null ? problem : { ...problem, hint });

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

/** A run that was started, whatever it was started from. */
export function startedOf(answer: StartedFragment | RefusedFragment): StartedRun {
  if ('code' in answer) return { ok: false, refusal: refusalOf(answer) };
  return {
    ok: true,
    runId: answer.run.id,
    created: answer.created,
    isDelayed: answer.dispatch === 'DELAYED',
    hasApp: answer.reporting === 'APP',
    warnings: answer.warnings.map(problemOf),
  };
}

export type Cancellation = { ok: true; changed: boolean } | { ok: false; refusal: Refusal };

export const cancellationOf = (answer: { changed: boolean } | RefusedFragment): Cancellation =>
  'code' in answer ? { ok: false, refusal: refusalOf(answer) } : { ok: true, changed: answer.changed };

/** A token itself is shown this once. */
export type MadeToken = { ok: true; id: string; token: string } | { ok: false; refusal: Refusal };

export const madeTokenOf = (answer: { token: string; apiToken: { id: string } } | RefusedFragment): MadeToken =>
  'code' in answer
    ? { ok: false, refusal: refusalOf(answer) }
    : { ok: true, id: answer.apiToken.id, token: answer.token };

export type Revoked = { ok: true } | { ok: false; refusal: Refusal };

export const revokedOf = (answer: object): Revoked =>
  isRefused(answer) ? { ok: false, refusal: refusalOf(answer) } : { ok: true };

/** Whether a mutation has done nothing, whatever it was. */
export const isRefused = (answer: object): answer is RefusedFragment => 'code' in answer;
