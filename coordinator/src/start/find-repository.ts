import type { EntityManager } from '@mikro-orm/postgresql';
import type { Trigger } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';

export interface FoundRepository {
  id: string;
  host: string;
  externalId: string;
  fullName: string;
  defaultBranch: string | null;
  /** Further branches whose runs others are compared with, as an admin named them. */
  baselineBranches: readonly string[];
  /** Whether the App is installed there, so that the coordinator writes checks and comments itself. */
  isReporting: boolean;
}

export type RepositoryAnswer = { ok: true; repository: FoundRepository | null } | { ok: false; message: string };

/** The repository of a trigger: null when it names none, refused when it is not enrolled or the caller is bound to another. */
export async function findRepository(em: EntityManager, caller: Caller, trigger: Trigger): Promise<RepositoryAnswer> {
  if (trigger.repositoryExternalId === null) {
    return caller.repositoryId === null
      ? { ok: true, repository: null }
      : { ok: false, message: 'This token is bound to a repository: name it in the trigger' };
  }
  const { rows } = await sql<FoundRepository>`
    select id, host, external_id as "externalId", full_name as "fullName", default_branch as "defaultBranch",
      baseline_branches as "baselineBranches",
      installation_id is not null as "isReporting"
    from repositories where external_id = ${trigger.repositoryExternalId} and host = ${trigger.host ?? 'github.com'}`.execute(
    em.getKysely(),
  );
  const repository = rows[0];
  if (repository === undefined) return { ok: false, message: 'The repository is not enrolled' };
  if (caller.repositoryId !== null && caller.repositoryId !== repository.id) {
    return { ok: false, message: 'This token is bound to another repository' };
  }
  return { ok: true, repository };
}
