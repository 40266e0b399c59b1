import type { EntityManager } from '@mikro-orm/postgresql';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, inTenant } from '../database/transactions.ts';
import { readCallerFiles } from '../definitions/read-caller-files.ts';
import { countHistory } from './count-history.ts';

const Stored = z.object({
  headSha: z.string().nullable(),
  checkName: z.string().nullable(),
  requested: z.object({
    suitePaths: z.array(z.string()),
    projectPath: z.string().nullable(),
  }),
  files: z.array(z.object({ path: z.string(), text: z.string() })),
});

/** What a proposal is compared with. */
export interface Base {
  /** Where they stand. */
  commit: string | null;
  /** The name of the check of the run that stored them: another job may have other suites. Null: they were read of a commit. */
  checkName: string | null;
  definitions: LoadedDefinitions;
  /** Scored trials that every case of the base has already. */
  historyTrials: number;
}

/** The definitions of a base run as it stored them; null when they no longer parse. */
export async function loadBaseDefinitions(
  database: Database,
  { tenantId, runId }: { tenantId: string; runId: string },
): Promise<Base | null> {
  const stored = await inTenant(database, tenantId, (em) => readStored(em, { tenantId, runId }));
  if (stored === null) return null;
  const { requested, files, checkName, headSha: commit } = stored;
  const read = await readCallerFiles({ files, ...requested });
  if (!read.ok || read.loaded.definitions.suites.length === 0) return null;
  const historyTrials = await inTenant(database, tenantId, (em) => countHistory(em, { tenantId, id: runId }));
  return { commit, checkName, definitions: read.loaded.definitions, historyTrials };
}

async function readStored(
  em: EntityManager,
  { tenantId, runId }: { tenantId: string; runId: string },
): Promise<z.infer<typeof Stored> | null> {
  const { rows } = await sql`
    select r.head_sha as "headSha", r.settings ->> 'checkName' as "checkName", r.requested, coalesce((
      select jsonb_agg(jsonb_build_object('path', f.path, 'text', d.text)) from run_files f
      join definition_files d on d.tenant_id = f.tenant_id and d.content_hash = f.content_hash
      where f.tenant_id = r.tenant_id and f.run_id = r.id), '[]') as files
    from runs r where r.tenant_id = ${tenantId} and r.id = ${runId}`.execute(em.getKysely());
  return rows[0] === undefined ? null : Stored.parse(rows[0]);
}
