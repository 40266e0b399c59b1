import { type RawBuilder, sql } from 'kysely';
import { askAsWorker, type Database } from '../database/transactions.ts';
import type { DeliveryResult } from '../feedback/feedback-port.ts';

export interface OutboxRow {
  tenantId: string;
  id: string;
  kind: 'finish-suite-run' | 'github-check' | 'github-comment' | 'alert';
  /** Null: it is about an alert. */
  runId: string | null;
  alertId: string | null;
  suiteRunId: string | null;
  subject: unknown;
  externalId: string | null;
  wantedVersion: number;
  /** Earlier tries. */
  tries: number;
  /** Whoever took it before was gone before it came to an end. */
  wasLeft: boolean;
}

/** Which replica a row is taken for, and for how long. */
export interface LeaseHolder {
  replica: string;
  leaseMs: number;
}

const giveUpAfter = sql`interval '24 hours'`;
/** Rows of one installation that are delivered together: one reads while the other waits for its turn to write. */
const perInstallation = 2;

const isDue = sql`o.state = 'due' and o.next_try_at <= now() and (o.lease_until is null or o.lease_until < now())`;
const isVerdict = sql`o.kind = 'finish-suite-run'`;
const isForForge = sql`o.kind in ('github-check', 'github-comment')`;
const isAlert = sql`o.kind = 'alert'`;
/** Of one channel: a receiver that does not answer holds up its own alerts and no others. */
const perChannel = 2;

const isLeft = sql`o.lease_until is not null`;

/** How many rows a lane has room for, and whether it has nothing at hand. */
interface Room {
  limit: number;
  isIdle: boolean;
}

/** Takes verdicts that are due, for this replica alone. */
export async function takeVerdicts(database: Database, holder: LeaseHolder, room: Room): Promise<OutboxRow[]> {
  return await takeOf(database, holder, room, { kind: isVerdict, first: sql`true` });
}

/**
 * Takes what is due for the forge, for this replica alone: a few rows of each installation, and none of one whose next turn
 * to write is further away than `longestTurnMs`.
 */
export async function takeDeliveries(
  database: Database,
  holder: LeaseHolder,
  { longestTurnMs, ...room }: Room & { longestTurnMs: number },
): Promise<OutboxRow[]> {
  // Rows of an installation that are under way count among the few.
  const ready = sql`
    select o.tenant_id, o.id, o.state = 'due' and o.next_try_at <= now() and o.lease_until is null as is_open,
      row_number() over (
        partition by coalesce(g.installation_id, o.id::text)
        order by (o.lease_until > now()) desc nulls last, o.next_try_at, o.id) as place
    from outbox o
    join runs r on r.tenant_id = o.tenant_id and r.id = o.run_id
    left join repositories g on g.tenant_id = r.tenant_id and g.id = r.repository_id
    left join installation_pace p on p.key = g.host || '/' || g.installation_id
    where o.state = 'due' and o.next_try_at <= now() and ${isForForge}
      and (p.next_write_at is null or p.next_write_at <= now() + ${longestTurnMs} * interval '1 millisecond')`;
  const first = sql`(o.tenant_id, o.id) in (
    select tenant_id, id from (${ready}) ready where ready.place <= ${perInstallation} and ready.is_open)`;
  return await takeOf(database, holder, room, { kind: isForForge, first });
}

/** That something is over is told to a channel after it was told that it began, or was not to be. */
const isInTurn = sql`not exists (
  select from alerts l
  join outbox b on b.tenant_id = l.tenant_id and b.kind = 'alert'
    and b.dedupe_key = l.resolves::text || ':' || (o.subject ->> 'channelId')
  where l.tenant_id = o.tenant_id and l.id = o.alert_id and b.state = 'due')`;

/** Takes alerts that are due, for this replica alone: a few of each channel. */
export async function takeAlerts(database: Database, holder: LeaseHolder, room: Room): Promise<OutboxRow[]> {
  const ready = sql`
    select o.tenant_id, o.id, o.lease_until is null as is_open,
      row_number() over (
        partition by o.tenant_id, o.subject ->> 'channelId'
        order by (o.lease_until > now()) desc nulls last, o.next_try_at, o.id) as place
    from outbox o where o.state = 'due' and o.next_try_at <= now() and ${isAlert} and ${isInTurn}`;
  const first = sql`(o.tenant_id, o.id) in (
    select tenant_id, id from (${ready}) ready where ready.place <= ${perChannel} and ready.is_open)`;
  return await takeOf(database, holder, room, { kind: isAlert, first });
}

interface Which {
  kind: RawBuilder<unknown>;
  /** Which of those that nobody has left may be taken now. */
  first: RawBuilder<unknown>;
}

/**
 * What a replica left behind is taken alone, once nothing else is at hand, and meanwhile nothing else is taken: what ended
 * that replica must not take the blame of its neighbours for it.
 */
async function takeOf(
  database: Database,
  holder: LeaseHolder,
  { limit, isIdle }: Room,
  { kind, first }: Which,
): Promise<OutboxRow[]> {
  const left = sql`${isDue} and ${kind} and ${isLeft}`;
  if (!isIdle) {
    const some = await askAsWorker(database, sql`select 1 from outbox o where ${left} limit 1`);
    if (some.length > 0) return [];
  }
  return await askAsWorker(
    database,
    sql<OutboxRow>`
      with left_behind as (
        select o.tenant_id, o.id, true as was_left from outbox o where ${left} and ${isIdle}
        order by o.next_try_at limit 1 for update skip locked),
      others as (
        select o.tenant_id, o.id, false as was_left from outbox o
        where ${isDue} and ${kind} and not ${isLeft} and ${first} and not exists (select from left_behind)
        order by o.next_try_at limit ${limit} for update skip locked),
      due as (select * from left_behind union all select * from others)
      update outbox o set lease_until = now() + ${holder.leaseMs} * interval '1 millisecond', lease_owner = ${holder.replica},
        tries = o.tries + 1
      from due where o.tenant_id = due.tenant_id and o.id = due.id
      returning o.tenant_id as "tenantId", o.id, o.kind, o.run_id as "runId", o.alert_id as "alertId", o.suite_run_id as "suiteRunId", o.subject,
        o.external_id as "externalId", o.wanted_version as "wantedVersion", o.tries - 1 as tries,
        due.was_left as "wasLeft"`,
  );
}

/** Keeps a row while its delivery takes longer than a lease. */
export async function renewLease(database: Database, { replica, leaseMs }: LeaseHolder, row: OutboxRow): Promise<void> {
  await askAsWorker(
    database,
    sql`
      update outbox set lease_until = now() + ${leaseMs} * interval '1 millisecond'
      where tenant_id = ${row.tenantId} and id = ${row.id} and lease_owner = ${replica}`,
  );
}

/**
 * Stores what came of a delivery. A row whose wanted state changed meanwhile stays due; one for the forge or of an alert that
 * failed for a day is parked, a verdict never without ending its run.
 */
export async function settleEntry(
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
  const change =
    result.state === 'done'
      ? sql`observed_version = ${wantedVersion}, reason = ${result.reason ?? null}, tries = 0,
          state = case when wanted_version > ${wantedVersion} then 'due' else 'done' end`
      : result.state === 'parked'
        ? sql`reason = ${result.reason},
            next_try_at = case when ${result.isFinal === true} and wanted_version = ${wantedVersion} then 'infinity' else now() end,
            state = case when wanted_version > ${wantedVersion} then 'due' else 'parked' end`
        : sql`reason = ${result.reason}, next_try_at = now() + ${result.afterMs} * interval '1 millisecond',
            state = case when kind <> 'finish-suite-run' and updated_at < now() - ${giveUpAfter} then 'parked' else 'due' end`;
  await askAsWorker(
    database,
    sql`
      update outbox set ${change}, external_id = ${externalId}, lease_until = null, lease_owner = null
      where tenant_id = ${tenantId} and id = ${id} and lease_owner = ${replica}`,
  );
}
