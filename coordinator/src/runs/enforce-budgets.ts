import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { closeDecided, decideClosing } from './close-suite-runs.ts';
import type { FinishedSuiteRun } from './count-results.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import type { RowKey } from './row-key.ts';

const perPass = 20;

/**
 * Ends what is open of runs that have spent their money or their tokens: those test runs are skipped for the reason
 * `budget`, and what was measured is judged. Every attempt counts, also one whose result came too late.
 */
export async function enforceBudgets(database: Database): Promise<FinishedSuiteRun[]> {
  const spent = await asWorker(database, findSpent);
  for (const run of spent) await retryConflicts(() => asWorker(database, (em) => cut(em, run)));
  return spent.length === 0 ? [] : await closeDecided(database);
}

async function findSpent(em: EntityManager): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    select r.tenant_id as "tenantId", r.id from runs r
    cross join lateral (
      select coalesce(sum(u.cost_usd), 0) as usd, coalesce(sum(u.prompt_tokens::bigint + u.completion_tokens), 0) as tokens
      from test_suite_runs s join attempt_usage u on u.tenant_id = s.tenant_id and u.suite_run_id = s.id
      where s.tenant_id = r.tenant_id and s.run_id = r.id) u
    where r.status in ('pending', 'running')
      and (u.usd >= (r.settings ->> 'budgetUsd')::float8 or u.tokens >= (r.settings ->> 'budgetTokens')::bigint)
      and exists (select 1 from test_suite_runs s
        where s.tenant_id = r.tenant_id and s.run_id = r.id and s.status in ('pending', 'running') and s.closing is null)
    order by r.id limit ${perPass}`.execute(em.getKysely());
  return rows;
}

async function cut(em: EntityManager, run: RowKey): Promise<void> {
  const { rows } = await sql<RowKey>`
    select tenant_id as "tenantId", id from test_suite_runs
    where tenant_id = ${run.tenantId} and run_id = ${run.id} and status in ('pending', 'running')`.execute(
    em.getKysely(),
  );
  await lockSuiteRuns(em, rows);
  const end = { status: 'completed', reason: null } as const;
  await decideClosing(em, rows, { status: 'skipped', skipReason: 'budget', end });
}
