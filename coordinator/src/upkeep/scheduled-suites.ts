import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type DueWindow, dueWindow, type ScheduledSuite } from '@proofmark/domain/schedule';
import { sql } from 'kysely';
import { raiseAlert } from '../alerts/raise-alerts.ts';
import { askAsWorker, asWorker, type Database } from '../database/transactions.ts';

/** A suite whose time has come, taken by this replica. */
export interface DueSuite {
  tenantId: string;
  suiteId: string;
  createdBy: string;
  window: DueWindow;
}

interface Row {
  tenantId: string;
  suiteId: string;
  createdBy: string;
  type: ScheduledSuite['type'];
  time: string | null;
  dayOfWeek: number | null;
  cron: string | null;
  timeZone: string | null;
  jitterMinutes: number | null;
  /** A run of its schedule is under way. */
  isBusy: boolean;
  createdAtMs: number;
  updatedAtMs: number;
  /** The newest window that somebody took and has not lost. */
  takenWindowMs: number | null;
}

/** After this long whoever took a window has died on the way, and another one takes it over. */
const lostAfter = sql`interval '1 minute'`;

/** So many suites are looked at before whoever else waits has a turn. */
const perTurn = 100;

/**
 * Takes every window that is due at this time and that no other replica has; two that ask at once do not both get it.
 * No transaction is open while the clocks of all suites are looked at, and none at all where nothing is due.
 */
export async function takeDueSuites(database: Database, nowMs: number): Promise<DueSuite[]> {
  const found: (DueSuite & { isBusy: boolean })[] = [];
  for (const [place, { createdBy, takenWindowMs, isBusy, ...row }] of (await readScheduled(database)).entries()) {
    if (place % perTurn === perTurn - 1) await nextTurn();
    const { tenantId, suiteId } = row;
    const window = dueWindow({ ...row, jitterShare: shareOf(suiteId) }, nowMs);
    if (window === null || (takenWindowMs !== null && takenWindowMs >= window.startMs)) continue;
    found.push({ tenantId, suiteId, createdBy, window, isBusy });
  }
  if (found.length === 0) return [];
  return await asWorker(database, async (em) => {
    const taken: DueSuite[] = [];
    for (const { isBusy, ...suite } of found) if (await takeWindow(em, suite, isBusy)) taken.push(suite);
    return taken;
  });
}

const readScheduled = (database: Database): Promise<Row[]> =>
  askAsWorker(
    database,
    sql<Row>`
    select s.tenant_id as "tenantId", s.id as "suiteId", s.created_by as "createdBy", s.schedule_type as type,
      s.schedule_time as time, s.schedule_day_of_week as "dayOfWeek", s.definition ->> 'schedule_cron' as cron,
      s.definition ->> 'schedule_time_zone' as "timeZone", (s.definition ->> 'schedule_jitter_minutes')::int as "jitterMinutes",
      exists (select from scheduled_runs d join runs r on r.tenant_id = d.tenant_id and r.id = d.run_id
        where d.tenant_id = s.tenant_id and d.suite_id = s.id and r.status in ('pending', 'running')) as "isBusy",
      (extract(epoch from s.created_at) * 1000)::float8 as "createdAtMs",
      (extract(epoch from s.updated_at) * 1000)::float8 as "updatedAtMs", (
        select (extract(epoch from max(d.window_start)) * 1000)::float8 from scheduled_runs d
        where d.tenant_id = s.tenant_id and d.suite_id = s.id
          and d.state <> 'waiting' and (d.state <> 'taken' or d.taken_at > now() - ${lostAfter})) as "takenWindowMs"
    from agent_test_suites s join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
    where (s.schedule_type <> 'manual' or s.definition ->> 'schedule_cron' is not null) and s.is_enabled and s.deleted_at is null and a.deleted_at is null
    order by s.tenant_id, s.id`,
  );

type Window = Pick<DueSuite, 'tenantId' | 'suiteId' | 'window'>;

/** Whether the window is this replica's to start. While a run of the schedule is under way the newest one waits, and is seen to. */
async function takeWindow(em: EntityManager, { tenantId, suiteId, window }: Window, isBusy: boolean): Promise<boolean> {
  const kysely = em.getKysely();
  const state = isBusy ? 'waiting' : 'taken';
  const startsAt = new Date(window.startMs);
  const { rows } = await sql`
    insert into scheduled_runs (tenant_id, suite_id, window_start, due_at, state)
    values (${tenantId}, ${suiteId}, ${startsAt}, ${new Date(window.dueMs)}, ${state})
    on conflict (tenant_id, suite_id, window_start) do update set taken_at = now(), state = 'taken'
      where ${state}::text = 'taken' and (scheduled_runs.state = 'waiting'
        or scheduled_runs.state = 'taken' and scheduled_runs.taken_at <= now() - ${lostAfter})
    returning 1`.execute(kysely);
  await sql`
    update scheduled_runs set state = 'refused', reason = ${overtaken}
    where tenant_id = ${tenantId} and suite_id = ${suiteId} and state = 'waiting' and window_start < ${startsAt}`.execute(
    kysely,
  );
  return rows.length > 0 && !isBusy;
}

const overtaken =
  'The run of an earlier time was still under way when the next time came: run the suite less often, or give it more runners';

/** 0 to 1, always the same for a suite. */
const shareOf = (suiteId: string): number => Number.parseInt(suiteId.slice(0, 8), 16) / 2 ** 32;

/** What came of a window: the run that was started, or why none was. */
export async function settleWindow(
  database: Database,
  { tenantId, suiteId, window }: DueSuite,
  came: { runId: string; reason: null } | { runId: null; reason: string },
): Promise<void> {
  await asWorker(database, async (em) => {
    const kysely = em.getKysely();
    await sql`
      update scheduled_runs set state = ${came.runId === null ? 'refused' : 'started'}, run_id = ${came.runId}, reason = ${came.reason}
      where tenant_id = ${tenantId} and suite_id = ${suiteId} and window_start = ${new Date(window.startMs)}`.execute(
      kysely,
    );
    if (came.runId !== null) return;
    const { rows } = await sql<{ name: string }>`
      select name from agent_test_suites where tenant_id = ${tenantId} and id = ${suiteId}`.execute(kysely);
    await raiseAlert(em, {
      ...{ tenantId, kind: 'nothing_executed', suiteId, suiteName: rows[0]?.name ?? null, cellKey: '', runId: null },
      ...{ suiteRunId: null, facts: { reason: came.reason }, resolves: null },
      dedupeKey: `refused:${suiteId}:${window.startMs}`,
    });
  });
}
