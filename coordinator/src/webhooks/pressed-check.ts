import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';

/** A run on whose result somebody pressed something. */
export interface CheckedRun {
  tenantId: string;
  runId: string;
  pullRequest: number | null;
  headSha: string | null;
  /** The suite of the check; null for the one that stands for all. */
  suiteName: string | null;
}

/** The run and the suite that a check of ours is about; null for another one, or when the suite was not run. */
export async function findCheck(
  database: Database,
  { tenantId, id: repositoryId }: RowKey,
  externalId: string | null,
): Promise<CheckedRun | null> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<CheckedRun & { isAggregate: boolean }>`
      select r.tenant_id as "tenantId", r.id as "runId", r.pull_request as "pullRequest", r.head_sha as "headSha",
        o.subject ->> 'suiteId' is null as "isAggregate", (
          select min(s.suite_name) from test_suite_runs s
          where s.tenant_id = r.tenant_id and s.run_id = r.id and s.suite_id::text = o.subject ->> 'suiteId') as "suiteName"
      from outbox o join runs r on r.tenant_id = o.tenant_id and r.id = o.run_id
      where o.tenant_id = ${tenantId} and o.kind = 'github-check' and o.dedupe_key = ${externalId}
        and r.repository_id = ${repositoryId}`.execute(em.getKysely());
    const [found] = rows;
    if (found === undefined || (!found.isAggregate && found.suiteName === null)) return null;
    const { isAggregate: _isAggregate, ...check } = found;
    return check;
  });
}

/** The newest run of each check name that was reported on a commit. */
export async function runsOfCommit(
  database: Database,
  { tenantId, id: repositoryId }: RowKey,
  headSha: string,
): Promise<CheckedRun[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<CheckedRun>`
      select distinct on (o.subject ->> 'name') r.tenant_id as "tenantId", r.id as "runId",
        r.pull_request as "pullRequest", r.head_sha as "headSha", null as "suiteName"
      from outbox o join runs r on r.tenant_id = o.tenant_id and r.id = o.run_id
      where o.tenant_id = ${tenantId} and o.kind = 'github-check' and o.subject ->> 'suiteId' is null
        and r.repository_id = ${repositoryId} and r.head_sha = ${headSha}
      order by o.subject ->> 'name', r.created_at desc`.execute(em.getKysely());
    return rows;
  });
}

/** The cells of a check that are suspected. */
export async function suspicionsOf(database: Database, { tenantId, runId, suiteName }: CheckedRun): Promise<string[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<{ id: string }>`
      select id from test_suite_runs
      where tenant_id = ${tenantId} and run_id = ${runId} and verdict = 'suspected'
        and (${suiteName}::text is null or suite_name = ${suiteName})
      order by sort_order`.execute(em.getKysely());
    return rows.map(({ id }) => id);
  });
}
