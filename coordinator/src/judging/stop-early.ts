import type { EntityManager } from '@mikro-orm/postgresql';
import type { EarlyStop } from '@proofmark/contracts/verdict';
import { endAfterRound } from '@proofmark/domain/judge-cells';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { openMembers } from '../ledger/close-chunks.ts';
import type { FinishedSuiteRun } from '../ledger/count-results.ts';
import { decideEnds } from '../ledger/end-suite-runs.ts';
import { lockSuiteRuns } from '../ledger/lock-suite-runs.ts';
import { isQueued } from '../ledger/plan-steps.ts';
import { writeEnded } from '../ledger/write-ended.ts';
import { collectEvidence } from './collect-evidence.ts';
import { readSiblings, readSuiteRun, type SuiteRunToJudge } from './read-suite-run.ts';

export interface EarlyStops {
  /** Cells in which another round was complete. */
  looked: number;
  finishedSuiteRuns: FinishedSuiteRun[];
}

const perPass = 20;

/**
 * Looks at every comparison in which a further round is complete: it ends when it is certain to be a regression, else
 * its next round begins. A result that is still on its way to a test run that was closed here comes too late.
 */
export async function stopEarly(database: Database): Promise<EarlyStops> {
  const found = await asWorker(database, findComplete);
  const finishedSuiteRuns: FinishedSuiteRun[] = [];
  for (const key of found) {
    finishedSuiteRuns.push(...(await retryConflicts(() => asWorker(database, (em) => look(em, key)))));
  }
  if (found.length > 0) finishedSuiteRuns.push(...(await writeEnded(database)).finishedSuiteRuns);
  return { looked: found.length, finishedSuiteRuns };
}

/** Rounds of a cell over both of its sides: all that were planned, and those of which every result is in. */
const roundsOfCell = sql`
  select max(c.round)::int as rounds,
    coalesce(min(c.round) filter (where c.state in ('queued', 'leased')) - 1, max(c.round))::int as complete
  from test_suite_runs o join chunks c on c.tenant_id = o.tenant_id and c.suite_run_id = o.id
  where o.tenant_id = s.tenant_id and o.run_id = s.run_id and o.suite_id = s.suite_id and o.cell_key = s.cell_key
    and o.purpose = 'first'`;

async function findComplete(em: EntityManager): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    select s.tenant_id as "tenantId", s.id from test_suite_runs s
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    cross join lateral (${roundsOfCell}) p
    where s.status = 'running' and s.ending is null and s.variant <> 'baseline' and s.purpose = 'first' and not r.is_base
      and ${isQueued(sql`s`)}
      and p.complete > s.looked_round and p.complete < p.rounds
    order by s.id limit ${perPass}`.execute(em.getKysely());
  return rows;
}

async function look(em: EntityManager, key: RowKey): Promise<FinishedSuiteRun[]> {
  const suiteRun = await readSuiteRun(em, key);
  if (suiteRun === null) return [];
  const siblings = await readSiblings(em, suiteRun);
  const sides = siblings.filter(({ cellKey, purpose }) => cellKey === suiteRun.cellKey && purpose === 'first');
  await lockSuiteRuns(em, sides);
  const progress = await readProgress(em, key);
  if (progress === null) return [];
  const { input } = await collectEvidence(em, suiteRun, { siblings, judge: null });
  const early = endAfterRound({
    input,
    head: suiteRun,
    ofSuite: siblings,
    completeRounds: progress.complete,
    rounds: progress.rounds,
    outstanding: await readOutstanding(em, suiteRun),
    spending: await readSpending(em, sides),
  });
  if (early !== null) return await end(em, sides, early);
  await openNextRound(em, sides, progress.complete);
  return [];
}

interface Progress {
  rounds: number;
  complete: number;
}

/** Null when another replica has looked at this round already, or it has ended. */
async function readProgress(em: EntityManager, { tenantId, id }: RowKey): Promise<Progress | null> {
  const { rows } = await sql<Progress>`
    select p.* from test_suite_runs s cross join lateral (${roundsOfCell}) p
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.status = 'running'
      and s.ending is null and p.complete > s.looked_round and p.complete < p.rounds`.execute(em.getKysely());
  return rows[0] ?? null;
}

async function readOutstanding(
  em: EntityManager,
  { tenantId, runId, suiteId, cellKey }: SuiteRunToJudge,
): Promise<Map<string, { base: number; head: number }>> {
  const { rows } = await sql<{ caseName: string; base: number; head: number }>`
    select p.case_name as "caseName", count(*) filter (where p.variant = 'baseline')::int as base,
      count(*) filter (where p.variant <> 'baseline')::int as head
    from test_suite_runs o join chunks c on c.tenant_id = o.tenant_id and c.suite_run_id = o.id ${openMembers}
    join planned_test_runs p on p.tenant_id = c.tenant_id and p.test_run_id = m.test_run_id
    where o.tenant_id = ${tenantId} and o.run_id = ${runId} and o.suite_id = ${suiteId} and o.cell_key = ${cellKey}
      and o.purpose = 'first' and c.state in ('queued', 'leased')
    group by 1`.execute(em.getKysely());
  return new Map(rows.map(({ caseName, base, head }) => [caseName, { base, head }]));
}

async function openNextRound(em: EntityManager, sides: readonly SuiteRunToJudge[], complete: number): Promise<void> {
  const [first] = sides;
  const ids = sides.map(({ id }) => id);
  await sql`
    update test_suite_runs
    set looked_round = ${complete}, open_round = case when open_round is null then null else ${complete} + 1 end
    where tenant_id = ${first?.tenantId ?? null} and id = any(${ids}::uuid[])`.execute(em.getKysely());
}

/** What the two sides have cost so far, and how many test runs that was of how many. */
async function readSpending(
  em: EntityManager,
  sides: readonly SuiteRunToJudge[],
): Promise<{ spentUsd: number | null; priced: number; planned: number }> {
  const ids = sides.map(({ id }) => id);
  const { rows } = await sql<{ spentUsd: number | null; priced: number; planned: number }>`
    select sum(c.spent_usd) as "spentUsd", count(c.spent_usd)::int as priced,
      (select sum(s.total_cases) from test_suite_runs s
        where s.tenant_id = ${sides[0]?.tenantId ?? null} and s.id = any(${ids}::uuid[]))::int as planned
    from test_case_results c
    where c.tenant_id = ${sides[0]?.tenantId ?? null} and c.run_id = any(${ids}::uuid[])`.execute(em.getKysely());
  return rows[0] ?? { spentUsd: null, priced: 0, planned: 0 };
}

async function end(
  em: EntityManager,
  sides: readonly SuiteRunToJudge[],
  early: EarlyStop,
): Promise<FinishedSuiteRun[]> {
  const [first] = sides;
  const ids = sides.map(({ id }) => id);
  await sql`
    update test_suite_runs set early = ${JSON.stringify(early)}, looked_round = ${early.round}
    where tenant_id = ${first?.tenantId ?? null} and id = any(${ids}::uuid[])`.execute(em.getKysely());
  return await decideEnds(em, sides, {
    closing: { status: 'skipped', skipReason: 'early_stop' },
    status: 'completed',
    reason: null,
  });
}
