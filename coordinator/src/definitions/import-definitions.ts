import { posix } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { LoadResult } from '@proofmark/contracts/loaded';
import { isError, type Problem } from '@proofmark/contracts/problem';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { forbidden, invalid, noSuch, type Refused } from './change.ts';
import { type ChangeReport, compareInventories, takeInventory } from './inventory.ts';
import { linkSuites } from './link-suites.ts';
import { mayChange } from './reach.ts';
import { readCallerFiles } from './read-caller-files.ts';
import { rehomeCases } from './rehome-cases.ts';
import { storeDefinitions } from './store-definitions.ts';
import { storeProject } from './store-project.ts';

const { files, suitePaths, projectPath } = StartRunInput.shape;

export const ImportDefinitionsInput = z.strictObject({
  files,
  suitePaths,
  projectPath,
  /** Absent: the definitions become those of the whole tenant. */
  repositoryId: z.uuid().nullable().default(null),
});
export type ImportDefinitionsInput = z.infer<typeof ImportDefinitionsInput>;

export type Imported = { ok: true; changes: ChangeReport; warnings: Problem[] } | Refused;

/**
 * Stores the definitions of a project without starting a run, and says what that changed. All or nothing: a file with an
 * error changes nothing. Files win over what was changed through the API.
 */
export async function importDefinitions(
  database: Database,
  caller: Caller,
  input: ImportDefinitionsInput,
): Promise<Imported> {
  const repositoryId = input.repositoryId ?? caller.repositoryId;
  // Without a repository the AI configurations are everybody's, and with them the address that a key is sent to.
  if (!mayChange(caller, repositoryId, repositoryId === null ? 'admin' : 'runs:write')) return forbidden;
  const read = await readCallerFiles(input);
  if (!read.ok) return invalid(read.problems);
  const { loaded } = read;
  if (loaded.problems.some(isError)) return invalid(loaded.problems);
  const { tenantId } = caller;
  return retryConflicts(() =>
    inTenant(database, tenantId, async (em): Promise<Imported> => {
      if (repositoryId === null) await lockTenant(em, tenantId);
      else if (!(await lockRepository(em, repositoryId))) return noSuch('repository');
      const before = await takeInventory(em, repositoryId);
      await storeLoaded(em, caller, { loaded, repositoryId, projectPath: input.projectPath });
      const after = await takeInventory(em, repositoryId);
      return { ok: true, changes: compareInventories(before, after), warnings: loaded.problems };
    }),
  );
}

interface ToStore {
  loaded: LoadResult;
  repositoryId: string | null;
  projectPath: string | null;
}

async function storeLoaded(
  em: EntityManager,
  caller: Caller,
  { loaded, repositoryId, ...input }: ToStore,
): Promise<void> {
  const { tenantId, userId } = caller;
  const { project, suites } = loaded.definitions;
  const stored = await storeDefinitions(em, { tenantId, userId, repositoryId, suites, mayChange: true });
  await storeProject(em, { tenantId, repositoryId, project, testTypes: loaded.testTypes });
  if (repositoryId === null) return linkSuites(em, 'all');
  const kept = {
    model_configurations: Object.keys(project.ai_configurations),
    test_types: loaded.testTypes.map(({ name }) => name),
    presets: Object.keys(project.presets),
  };
  const folder = input.projectPath === null ? '' : posix.dirname(input.projectPath).replace(/^\.$/, '');
  const suiteIds = [...stored.values()].map(({ suiteId }) => suiteId);
  await removeMissing(em, { repositoryId, folder, suiteIds, kept });
  await linkSuites(em, { ofRepository: repositoryId });
}

/** The same among imports for the whole tenant: what one has just added, another must not report as its own. */
async function lockTenant(em: EntityManager, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`definitions of ${tenantId}`}, 0))`.execute(em.getKysely());
}

/** Two imports of one repository take turns: what is missing in one must not be what the other has just stored. */
async function lockRepository(em: EntityManager, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from repositories where id = ${id} for no key update`.execute(em.getKysely());
  return rows.length > 0;
}

interface Kept {
  repositoryId: string;
  /** Of the project file, '' for the root: a project removes nothing outside its folder. */
  folder: string;
  suiteIds: readonly string[];
  kept: Record<'model_configurations' | 'test_types' | 'presets', string[]>;
}

/** Hides what came from files that no longer have it. What was made through the API stays. */
async function removeMissing(em: EntityManager, { repositoryId, folder, suiteIds, kept }: Kept): Promise<void> {
  const kysely = em.getKysely();
  const prefix = folder === '' ? '' : `${folder}/`;
  await sql`
    update agent_test_suites s set deleted_at = now(), updated_at = now() from agents a
    where a.tenant_id = s.tenant_id and a.id = s.agent_id and a.repository_id = ${repositoryId} and s.deleted_at is null
      and starts_with(s.path, ${prefix}) and not s.id = any(${suiteIds}::uuid[])`.execute(kysely);
  await rehomeCases(em);
  await sql`
    update agents a set deleted_at = now(), updated_at = now()
    where a.repository_id = ${repositoryId} and a.deleted_at is null and starts_with(a.config_path, ${prefix})
      and not exists (select 1 from agent_test_suites s
        where s.tenant_id = a.tenant_id and s.agent_id = a.id and s.deleted_at is null)`.execute(kysely);
  // Names of a project belong to the whole repository: only the one at the root can tell that nobody has them.
  if (folder !== '') return;
  for (const [table, names] of Object.entries(kept)) {
    await sql`
      update ${sql.table(table)} set deleted_at = now(), updated_at = now()
      where repository_id = ${repositoryId} and deleted_at is null and not name = any(${names}::text[])`.execute(
      kysely,
    );
  }
}
