import type { EntityManager } from '@mikro-orm/postgresql';
import { Variant } from '@proofmark/contracts/case-work';
import { EarlyStop, VerdictSettings } from '@proofmark/contracts/verdict';
import { RunStatus, SuiteRunPurpose } from '@proofmark/contracts/words';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { RowKey } from '../database/row-key.ts';

const Row = z.object({
  tenantId: z.string(),
  id: z.string(),
  runId: z.string(),
  status: RunStatus,
  variant: Variant,
  purpose: SuiteRunPurpose,
  suiteId: z.string(),
  suiteName: z.string(),
  triggeredBy: z.string(),
  cellKey: z.string(),
  agentHash: z.string(),
  settingKey: z.string(),
  settings: VerdictSettings,
  clusters: z.record(z.string(), z.string()).nullable(),
  early: EarlyStop.nullable(),
  /** The suite run whose results it took over: both together are one measurement. */
  takenFrom: z.object({ suiteRunId: z.string() }).nullable(),
  isJudged: z.boolean(),
  createdAt: z.string(),
  repositoryId: z.string().nullable(),
  /** The branch that proposals are about, as far as the forge has said. */
  baseName: z.string().nullable(),
  pullRequest: z.number().nullable(),
  headSha: z.string().nullable(),
  baseSha: z.string().nullable(),
  mergeBaseSha: z.string().nullable(),
  baseCommit: z.string().nullable(),
  baseAncestors: z.array(z.string()).nullable(),
  isBase: z.boolean(),
  /** The agent that stands at the merge base, by its own files; null where nobody could read them. */
  agentAtMergeBase: z.string().nullable(),
  /** Names of cases that stand at the base and no longer at the head. */
  removedCases: z.array(z.string()),
  baselineMode: z.enum(['auto', 'run', 'none']),
});

/** A suite run with what its run says about the comparison. */
export type SuiteRunToJudge = z.infer<typeof Row>;

/** Null when it does not exist any more. */
export async function readSuiteRun(em: EntityManager, { tenantId, id }: RowKey): Promise<SuiteRunToJudge | null> {
  const [row] = await read(em, sql`s.tenant_id = ${tenantId} and s.id = ${id}`);
  return row ?? null;
}

/** All cells and variants of the suite in the same run, the suite run itself among them. */
export async function readSiblings(
  em: EntityManager,
  { tenantId, runId, suiteId }: Pick<SuiteRunToJudge, 'tenantId' | 'runId' | 'suiteId'>,
): Promise<SuiteRunToJudge[]> {
  return read(em, sql`s.tenant_id = ${tenantId} and s.run_id = ${runId} and s.suite_id = ${suiteId}`);
}

async function read(em: EntityManager, where: RawBuilder<unknown>): Promise<SuiteRunToJudge[]> {
  const { rows } = await sql`
    select s.tenant_id as "tenantId", s.id, s.run_id as "runId", s.status, s.variant, s.purpose, s.suite_id as "suiteId",
      s.suite_name as "suiteName", r.triggered_by as "triggeredBy",
      s.cell_key as "cellKey", s.agent_hash as "agentHash", s.setting_key as "settingKey", s.settings, s.clusters, s.early,
      s.taken_from as "takenFrom",
      s.verdict is not null as "isJudged", s.created_at::text as "createdAt",
      r.repository_id as "repositoryId", p.default_branch as "baseName", r.pull_request as "pullRequest",
      r.head_sha as "headSha", r.base_sha as "baseSha", r.merge_base_sha as "mergeBaseSha",
      r.base_commit as "baseCommit", r.base_ancestors as "baseAncestors", r.is_base as "isBase",
      r.base_agents -> s.suite_name ->> s.cell_key as "agentAtMergeBase",
      coalesce(r.removed -> 'cases' -> s.suite_path, '[]') as "removedCases", r.settings ->> 'baseline' as "baselineMode"
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    left join repositories p on p.tenant_id = r.tenant_id and p.id = r.repository_id
    where ${where} order by s.sort_order, s.id`.execute(em.getKysely());
  return z.array(Row).parse(rows);
}
