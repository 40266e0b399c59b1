import type { Scope } from '@proofmark/contracts/words';
import { z } from 'zod';
import type { TokenKind } from './token.ts';

const digits = z.string().regex(/^\d{1,20}$/);

/** What a run token is bound to: the claims of the CI job that it was given to, as the issuer signed them. */
export const RunClaims = z.object({
  host: z.string(),
  repositoryId: digits,
  ownerId: digits,
  repository: z.string(),
  workflowRunId: digits,
  workflowRunAttempt: digits,
  event: z.string(),
  ref: z.string(),
  sha: z.string().nullable(),
});
export type RunClaims = z.infer<typeof RunClaims>;

/** Who sends a request, and what it may do. */
export interface Caller {
  tenantId: string;
  userId: string;
  tokenId: string;
  /** With a token of its own, that of a CI job, or signed in with a browser. */
  kind: TokenKind;
  scopes: ReadonlySet<Scope>;
  repositoryId: string | null;
  claims: RunClaims | null;
}

/** The key of a request of this caller: those of one repository never meet those of another. */
export const scopedKey = ({ repositoryId }: Pick<Caller, 'repositoryId'>, key: string): string =>
  repositoryId === null ? key : `${repositoryId}/${key}`;

export function mayDo(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin');
}
