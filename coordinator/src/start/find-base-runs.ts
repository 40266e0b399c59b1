import type { EntityManager } from '@mikro-orm/postgresql';
import type { BaseRun } from '@proofmark/domain/choose-baseline';
import { sql } from 'kysely';

interface Question {
  repositoryId: string;
  /** Of the suites that are compared. */
  suiteNames: readonly string[];
  suitePaths: readonly string[];
  /** The merge base and what came before it: their runs are wanted whatever ran since. */
  commits: readonly string[];
}

/** More than a branch can have had in the days that count. */
const mostRuns = 200;

/** Runs of the base branch that have any of these suites, newest first, with the agents that they tested. */
export async function findBaseRuns(
  em: EntityManager,
  { repositoryId, suiteNames, suitePaths, commits }: Question,
): Promise<BaseRun[]> {
  const { rows } = await sql<BaseRun>`
    select * from (
      select r.id as "runId", r.head_sha as commit, r.created_at,
        greatest(0, extract(epoch from now() - r.created_at) / 86400)::float8 as "ageDays",
        jsonb_agg(jsonb_build_object('suiteName', s.suite_name, 'cellKey', s.cell_key, 'agentHash', s.agent_hash)) as agents
      from runs r join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id
      where r.repository_id = ${repositoryId} and r.is_base and r.head_sha is not null
        and r.status in ('pending', 'running', 'completed') and s.variant = 'head' and s.purpose = 'first'
        and (s.suite_name = any(${suiteNames}::text[]) or s.suite_path = any(${suitePaths}::text[]))
      group by r.tenant_id, r.id
      order by (r.head_sha = any(${commits}::text[])) desc, r.created_at desc limit ${mostRuns}) found
    order by created_at desc`.execute(em.getKysely());
  return rows;
}
