import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import type { DeliveryResult } from '../feedback/feedback-port.ts';

export interface OutboxRow {
  tenantId: string;
  id: string;
  kind: 'finish-suite-run' | 'github-check' | 'github-comment';
  runId: string;
  suiteRunId: string | null;
  subject: unknown;
  externalId: string | null;
  wantedVersion: number;
  tries: number;
}

/** Which replica a row is taken for, and for how long. */
export interface LeaseHolder {
  replica: string;
  leaseMs: number;
}

const giveUpAfter = sql`interval '24 hours'`;

/** Takes what is due for this replica alone, finish jobs first; `tries` counts earlier tries. */
export async function takeDue(
  database: Database,
  { replica, leaseMs }: LeaseHolder,
  limit: number,
): Promise<OutboxRow[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<OutboxRow>`
      with due as (
        select tenant_id, id from outbox
        where state = 'due' and next_try_at <= now() and (lease_until is null or lease_until < now())
        order by kind <> 'finish-suite-run', next_try_at limit ${limit} for update skip locked)
      update outbox o set lease_until = now() + ${leaseMs} * interval '1 millisecond', lease_owner = ${replica}, tries = o.tries + 1
      from due where o.tenant_id = due.tenant_id and o.id = due.id
      returning o.tenant_id as "tenantId", o.id, o.kind, o.run_id as "runId", o.suite_run_id as "suiteRunId", o.subject,
        o.external_id as "externalId", o.wanted_version as "wantedVersion", o.tries - 1 as tries`.execute(
      em.getKysely(),
    );
    return rows;
  });
}

/** Keeps a row while its delivery takes longer than a lease. */
export async function renewLease(database: Database, { replica, leaseMs }: LeaseHolder, row: OutboxRow): Promise<void> {
  await asWorker(database, async (em) => {
    await sql`
      update outbox set lease_until = now() + ${leaseMs} * interval '1 millisecond'
      where tenant_id = ${row.tenantId} and id = ${row.id} and lease_owner = ${replica}`.execute(em.getKysely());
  });
}

/** Stores what came of a delivery. A row whose wanted state changed meanwhile stays due; one that failed for a day is parked. */
export async function settle(
  database: Database,
  { replica }: LeaseHolder,
  row: OutboxRow,
  result: DeliveryResult,
): Promise<void> {
  const { tenantId, id, wantedVersion } = row;
  // An empty id means that what had it is gone.
  const externalId =
    result.externalId === undefined || result.externalId === null
      ? sql`external_id`
      : sql`nullif(${result.externalId}, '')`;
  await asWorker(database, async (em) => {
    const change =
      result.state === 'done'
        ? sql`observed_version = ${wantedVersion}, reason = null, tries = 0,
            state = case when wanted_version > ${wantedVersion} then 'due' else 'done' end`
        : result.state === 'parked'
          ? sql`reason = ${result.reason},
              next_try_at = case when ${result.isFinal === true} and wanted_version = ${wantedVersion} then 'infinity' else now() end,
              state = case when wanted_version > ${wantedVersion} then 'due' else 'parked' end`
          : sql`reason = ${result.reason}, next_try_at = now() + ${result.afterMs} * interval '1 millisecond',
              state = case when updated_at < now() - ${giveUpAfter} then 'parked' else 'due' end`;
    await sql`
      update outbox set ${change}, external_id = ${externalId}, lease_until = null, lease_owner = null
      where tenant_id = ${tenantId} and id = ${id} and lease_owner = ${replica}`.execute(em.getKysely());
  });
}
