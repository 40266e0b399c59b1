import type { EntityManager } from '@mikro-orm/postgresql';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import { sql } from 'kysely';
import { z } from 'zod';
import type { RowKey } from '../database/row-key.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { readCallerFiles } from '../definitions/read-caller-files.ts';

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

const historyDays = 14;
/** More than decide how often the base runs. */
const mostSummaries = 40;

/**
 * How many scored trials of the last two weeks the worst covered case of a base run has, over all runs of the same agent
 * with the same case, instrument and setting: what a comparison can lean on without running the base again.
 */
async function countHistory(em: EntityManager, baseRun: RowKey): Promise<number> {
  const { rows } = await sql<{ trials: number }>`
    with wanted as (
      select distinct b.suite_id, b.cell_key, b.agent_hash, b.setting_key, o.case_key, o.case_hash, o.instrument_hash
      from test_suite_runs b join test_case_results o on o.tenant_id = b.tenant_id and o.run_id = b.id
      where b.tenant_id = ${baseRun.tenantId} and b.run_id = ${baseRun.id} and b.variant = 'head' and o.status <> 'skipped'),
    counted as (
      select coalesce(sum(length(regexp_replace(h.outcomes, '[^pf]', '', 'g'))), 0) as trials from wanted w
      left join lateral (
        select s.outcomes from case_summaries s
        where s.tenant_id = ${baseRun.tenantId} and s.suite_id = w.suite_id and s.is_history
          and (s.cell_key, s.agent_hash, s.setting_key) = (w.cell_key, w.agent_hash, w.setting_key)
          and (s.case_key, s.case_hash, s.instrument_hash) = (w.case_key, w.case_hash, w.instrument_hash)
          and s.ended_at > now() - ${historyDays} * interval '1 day'
        order by s.ended_at desc limit ${mostSummaries}) h on true
      group by w.suite_id, w.cell_key, w.setting_key, w.case_key)
    select coalesce(min(trials), 0)::int as trials from counted`.execute(em.getKysely());
  return rows[0]?.trials ?? 0;
}
