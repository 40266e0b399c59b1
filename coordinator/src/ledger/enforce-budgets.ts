import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FinishedSuiteRun } from './count-results.ts';
import { decideEnds } from './end-suite-runs.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { writeEnded } from './write-ended.ts';

const perPass = 20;

/**
 * Ends what is open of runs that have spent their money or their tokens: those test runs are skipped for the reason
 * `budget`, and what was measured is judged. Every attempt counts, also one whose result came too late.
 */
export async function enforceBudgets(database: Database): Promise<FinishedSuiteRun[]> {
  const spent = await asWorker(database, findSpent);
  const finished: FinishedSuiteRun[] = [];
  for (const run of spent) {
    finished.push(...(await retryConflicts(() => asWorker(database, (em) => cut(em, run)))));
    finished.push(...(await writeEnded(database, { run })).finishedSuiteRuns);
  }
  return finished;
}

async function findSpent(em: EntityManager): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    select r.tenant_id as "tenantId", r.id from runs r
    cross join lateral (
      select sum(s.spent_usd) as usd, sum(s.spent_tokens) as tokens,
        bool_or(s.status in ('pending', 'running') and s.ending is null
          and s.total_cases > s.passed_cases + s.failed_cases + s.skipped_cases) as is_open
      from test_suite_runs s where s.tenant_id = r.tenant_id and s.run_id = r.id) u
    where r.status in ('pending', 'running') and u.is_open
      and (u.usd >= (r.settings ->> 'budgetUsd')::float8 or u.tokens >= (r.settings ->> 'budgetTokens')::bigint)
    order by r.id limit ${perPass}`.execute(em.getKysely());
  return rows;
}

async function cut(em: EntityManager, run: RowKey): Promise<FinishedSuiteRun[]> {
  const { rows } = await sql<RowKey>`
    select tenant_id as "tenantId", id from test_suite_runs
    where tenant_id = ${run.tenantId} and run_id = ${run.id} and status in ('pending', 'running')`.execute(
    em.getKysely(),
  );
  await lockSuiteRuns(em, rows);
  return await decideEnds(em, rows, {
    closing: { status: 'skipped', skipReason: 'budget' },
    status: 'completed',
    reason: null,
  });
}
