import type { Scope } from '@proofmark/contracts/words';
import { type RawBuilder, sql } from 'kysely';
import { type Caller, mayDo } from '../access/caller.ts';

/** The condition that a token bound to a repository puts on rows that belong to repositories. */
export const ownRows = (
  { repositoryId }: Pick<Caller, 'repositoryId'>,
  column: RawBuilder<unknown>,
): RawBuilder<unknown> => (repositoryId === null ? sql`true` : sql`${column} = ${repositoryId}::uuid`);

/** The same where what belongs to no repository is there for all. */
export const sharedRows = (
  { repositoryId }: Pick<Caller, 'repositoryId'>,
  column: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  repositoryId === null ? sql`true` : sql`(${column} is null or ${column} = ${repositoryId}::uuid)`;

/**
 * Whether the caller may change what belongs to this repository, or to none. A CI job changes definitions by the run
 * that it starts on a base branch, and in no other way.
 */
export function mayChange(caller: Caller, repositoryId: string | null, scope: Scope = 'runs:write'): boolean {
  if (caller.kind === 'run' || !mayDo(caller, scope)) return false;
  return caller.repositoryId === null || caller.repositoryId === repositoryId;
}
