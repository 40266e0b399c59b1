import type { EntityManager } from '@mikro-orm/postgresql';
import { VerdictSettings } from '@proofmark/contracts/verdict';
import { sql } from 'kysely';
import { z } from 'zod';
import type { RowKey } from './row-key.ts';

const Row = z.object({
  tenantId: z.string(),
  id: z.string(),
  runId: z.string(),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']),
  variant: z.enum(['head', 'baseline', 'candidate']),
  suiteId: z.string(),
  cellKey: z.string(),
  agentHash: z.string(),
  settingKey: z.string(),
  settings: VerdictSettings,
  isJudged: z.boolean(),
  createdAt: z.string(),
  repositoryId: z.string().nullable(),
  pullRequest: z.number().nullable(),
  headSha: z.string().nullable(),
  baseSha: z.string().nullable(),
  mergeBaseSha: z.string().nullable(),
  isBase: z.boolean(),
  baselineMode: z.enum(['auto', 'none']),
});

/** A suite run with what its run says about the comparison. */
export type SuiteRunToJudge = z.infer<typeof Row>;

/** Null when it does not exist any more. */
export async function readSuiteRun(em: EntityManager, { tenantId, id }: RowKey): Promise<SuiteRunToJudge | null> {
  const { rows } = await sql`
    select s.tenant_id as "tenantId", s.id, s.run_id as "runId", s.status, s.variant, s.suite_id as "suiteId",
      s.cell_key as "cellKey", s.agent_hash as "agentHash", s.setting_key as "settingKey", s.settings,
      s.verdict is not null as "isJudged", s.created_at::text as "createdAt",
      r.repository_id as "repositoryId", r.pull_request as "pullRequest", r.head_sha as "headSha",
      r.base_sha as "baseSha", r.merge_base_sha as "mergeBaseSha", r.is_base as "isBase",
      r.settings ->> 'baseline' as "baselineMode"
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.tenant_id = ${tenantId} and s.id = ${id}`.execute(em.getKysely());
  return rows[0] === undefined ? null : Row.parse(rows[0]);
}
