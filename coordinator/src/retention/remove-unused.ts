import { type RawBuilder, sql } from 'kysely';
import { lockContents } from '../database/contents-lock.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { RemovalPass } from './take-passes.ts';

const largestBatch = 500;

/**
 * Removes ended runs that have no suite run left, with their idempotency keys, and contents that no run refers to any more:
 * one step after the other, each of which may fail by itself.
 */
export function unusedSteps(database: Database, pass: RemovalPass): Record<string, () => Promise<number>> {
  const { tenantId, nowMs, settings } = pass;
  return {
    runs: () => removeAll(database, tenantId, emptyRuns(tenantId, new Date(nowMs), settings.keepDays)),
    files: () => removeAll(database, tenantId, unusedFiles(tenantId)),
    snapshots: () => removeAll(database, tenantId, unusedSnapshots(tenantId)),
    blobs: () => removeAll(database, tenantId, unusedBlobs(tenantId)),
    contents: () => removeAll(database, tenantId, unusedContents(tenantId)),
  };
}

async function removeAll(database: Database, tenantId: string, statement: RawBuilder<unknown>): Promise<number> {
  const removeBatch = () =>
    retryConflicts(() =>
      asWorker(database, async (em) => {
        await lockContents(em, tenantId);
        return (await statement.execute(em.getKysely())).rows.length;
      }),
    );
  let total = 0;
  for (let count = largestBatch; count === largestBatch; total += count) count = await removeBatch();
  return total;
}

/**
 * The run of an alert stays while what it tells of goes on, and a week after that: with it would go where it was told, and
 * nobody would be told there that it is over.
 */
const emptyRuns = (tenantId: string, now: Date, keepDays: number) => sql`
  delete from runs where tenant_id = ${tenantId} and id in (
    select r.id from runs r
    where r.tenant_id = ${tenantId} and r.status in ('completed', 'failed', 'cancelled')
      and coalesce(r.completed_at, r.created_at) < ${now}::timestamptz - ${keepDays} * interval '1 day'
      and not exists (select 1 from test_suite_runs s where s.tenant_id = r.tenant_id and s.run_id = r.id)
      and not exists (select 1 from alerts a where a.tenant_id = r.tenant_id and a.run_id = r.id
        and (a.ended_at > now() - interval '7 days' or a.ended_at is null and a.kind in ('regression', 'nothing_executed')))
    limit ${largestBatch}) returning 1`;

const unusedFiles = (tenantId: string) => sql`
  delete from definition_files where tenant_id = ${tenantId} and id in (
    select d.id from definition_files d
    where d.tenant_id = ${tenantId}
      and not exists (select 1 from run_files f where f.tenant_id = d.tenant_id and f.content_hash = d.content_hash)
    limit ${largestBatch}) returning 1`;

/** The newest snapshot of an agent stays: it may be all that says what the agent is. */
const unusedSnapshots = (tenantId: string) => sql`
  delete from agent_snapshots where tenant_id = ${tenantId} and id in (
    select n.id from agent_snapshots n
    where n.tenant_id = ${tenantId}
      and not exists (select 1 from test_suite_runs s where s.tenant_id = n.tenant_id and s.agent_snapshot_id = n.id)
      and exists (select 1 from agent_snapshots m where m.tenant_id = n.tenant_id and m.agent_id = n.agent_id
        and (m.created_at, m.id) > (n.created_at, n.id))
    limit ${largestBatch}) returning 1`;

const unusedContents = (tenantId: string) => sql`
  delete from work_contents where tenant_id = ${tenantId} and hash in (
    select w.hash from work_contents w where w.tenant_id = ${tenantId}
      and not exists (select 1 from planned_test_runs p where p.tenant_id = w.tenant_id and p.setting_hash = w.hash)
      and not exists (select 1 from planned_test_runs p where p.tenant_id = w.tenant_id and p.case_content_hash = w.hash)
    limit ${largestBatch}) returning 1`;

/** What was uploaded a moment ago may be for a run that is yet to come. */
const unusedBlobs = (tenantId: string) => sql`
  delete from blobs where tenant_id = ${tenantId} and digest in (
    select b.digest from blobs b
    where b.tenant_id = ${tenantId} and b.created_at < now() - interval '1 day'
      and not exists (select 1 from run_blobs r where r.tenant_id = b.tenant_id and r.digest = b.digest)
    limit ${largestBatch}) returning 1`;
