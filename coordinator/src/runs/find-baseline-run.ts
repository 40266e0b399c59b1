import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

export interface BaselineRun {
  suiteRunId: string;
  agentHash: string;
}

/**
 * The suite run of the base branch to compare with: the one of the wanted commit, else the newest one that is not too
 * old. Null when the base branch has none yet or nothing shall be compared.
 */
export async function findBaselineRun(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<BaselineRun | null> {
  if (suiteRun.baselineMode === 'none') return null;
  const commits = [suiteRun.mergeBaseSha, suiteRun.baseSha].filter((sha) => sha !== null);
  const days = suiteRun.settings.gate.history_max_age_days;
  const { rows } = await sql<BaselineRun>`
    select b.suite_run_id as "suiteRunId", b.agent_hash as "agentHash" from baselines b
    join test_suite_runs s on s.tenant_id = b.tenant_id and s.id = b.suite_run_id
    where b.tenant_id = ${suiteRun.tenantId} and b.suite_id = ${suiteRun.suiteId} and b.cell_key = ${suiteRun.cellKey}
      and b.suite_run_id <> ${suiteRun.id} and s.created_at <= ${suiteRun.createdAt}::timestamptz
      and (b.commit_sha = any(${commits}::text[]) or b.created_at > now() - ${days} * interval '1 day')
    order by array_position(${commits}::text[], b.commit_sha) nulls last, b.created_at desc limit 1`.execute(
    em.getKysely(),
  );
  return rows[0] ?? null;
}
