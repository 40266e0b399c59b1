import { type DueWindow, dueWindow, type ScheduledSuite } from '@proofmark/domain/schedule';
import { sql } from 'kysely';
import { raiseAlert } from '../alerts/raise-alerts.ts';
import { asWorker, type Database } from '../database/transactions.ts';

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
  createdAtMs: number;
  updatedAtMs: number;
  /** The newest window that somebody took and has not lost. */
  takenWindowMs: number | null;
}

/** After this long whoever took a window has died on the way, and another one takes it over. */
const lostAfter = sql`interval '1 minute'`;

/** Takes every window that is due at this time and that no other replica has; two that ask at once do not both get it. */
export async function takeDueSuites(database: Database, nowMs: number): Promise<DueSuite[]> {
  return asWorker(database, async (em) => {
    const kysely = em.getKysely();
    const { rows } = await sql<Row>`
      select s.tenant_id as "tenantId", s.id as "suiteId", s.created_by as "createdBy", s.schedule_type as type,
        s.schedule_time as time, s.schedule_day_of_week as "dayOfWeek",
        (extract(epoch from s.created_at) * 1000)::float8 as "createdAtMs",
        (extract(epoch from s.updated_at) * 1000)::float8 as "updatedAtMs", (
          select (extract(epoch from max(d.window_start)) * 1000)::float8 from scheduled_runs d
          where d.tenant_id = s.tenant_id and d.suite_id = s.id
            and (d.state <> 'taken' or d.taken_at > now() - ${lostAfter})) as "takenWindowMs"
      from agent_test_suites s join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
      where s.schedule_type <> 'manual' and s.is_enabled and s.deleted_at is null and a.deleted_at is null
      order by s.tenant_id, s.id`.execute(kysely);
    const due: DueSuite[] = [];
    for (const { tenantId, suiteId, createdBy, takenWindowMs, ...schedule } of rows) {
      const window = dueWindow(schedule, nowMs);
      if (window === null || (takenWindowMs !== null && takenWindowMs >= window.startMs)) continue;
      const taken = await sql`
        insert into scheduled_runs (tenant_id, suite_id, window_start, due_at)
        values (${tenantId}, ${suiteId}, ${new Date(window.startMs)}, ${new Date(window.dueMs)})
        on conflict (tenant_id, suite_id, window_start) do update set taken_at = now()
          where scheduled_runs.state = 'taken' and scheduled_runs.taken_at <= now() - ${lostAfter}
        returning 1`.execute(kysely);
      if (taken.rows.length > 0) due.push({ tenantId, suiteId, createdBy, window });
    }
    return due;
  });
}

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
