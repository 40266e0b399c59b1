import type { EntityManager } from '@mikro-orm/postgresql';
import type { AlertFacts, AlertKind } from '@proofmark/contracts/alert-message';
import type { Verdict } from '@proofmark/contracts/verdict';
import { decideAlerts, type OpenIncident } from '@proofmark/domain/decide-alerts';
import { type QuietHours, sendAtMs } from '@proofmark/domain/quiet-hours';
import { sql } from 'kysely';
import { storableJson } from '../database/storable.ts';
import { type Columns, unnest } from '../database/unnest.ts';

export interface NewAlert {
  tenantId: string;
  kind: AlertKind;
  suiteId: string | null;
  suiteName: string | null;
  cellKey: string;
  runId: string | null;
  suiteRunId: string | null;
  facts: AlertFacts;
  /** Whoever raises the same again raises nothing. */
  dedupeKey: string;
  /** The alert of what is over. */
  resolves: string | null;
}

interface Waiting {
  channelId: string;
  sendAt: Date;
}

const columns: Columns<Waiting> = {
  channel_id: { type: 'text', of: ({ channelId }) => channelId },
  send_at: { type: 'timestamptz', of: ({ sendAt }) => sendAt.toISOString() },
};

/**
 * Stores an alert and what is to be sent for it, in the transaction that gives reason for it: it is sent when that is
 * committed, and never without it. Null: it was raised before, or goes on since then.
 */
export async function raiseAlert(em: EntityManager, alert: NewAlert, only?: string): Promise<string | null> {
  const { tenantId, kind, suiteId, suiteName, cellKey, runId, suiteRunId, facts, dedupeKey, resolves } = alert;
  const kysely = em.getKysely();
  const { rows } = await sql<{ id: string; nowMs: number }>`
    insert into alerts (tenant_id, kind, suite_id, suite_name, cell_key, run_id, suite_run_id, facts, dedupe_key, resolves)
    values (${tenantId}, ${kind}, ${suiteId}, ${suiteName}, ${cellKey}, ${runId}, ${suiteRunId}, ${storableJson(facts)},
      ${dedupeKey}, ${resolves})
    on conflict do nothing returning id, (extract(epoch from now()) * 1000)::float8 as "nowMs"`.execute(kysely);
  const [raised] = rows;
  if (raised === undefined) return null;
  const waiting = (await channelsFor(em, alert, only)).map(({ id, quiet }) => ({
    channelId: id,
    // Whoever asks for a test is awake.
    sendAt: new Date(kind === 'test' ? raised.nowMs : sendAtMs(quiet, raised.nowMs)),
  }));
  if (waiting.length > 0)
    await sql`
      insert into outbox (tenant_id, kind, dedupe_key, alert_id, subject, next_try_at, updated_at)
      select ${tenantId}::uuid, 'alert', ${raised.id}::text || ':' || w.channel_id, ${raised.id}::uuid,
        jsonb_build_object('channelId', w.channel_id), w.send_at, w.send_at
      from ${unnest(waiting, columns, 'w')}`.execute(kysely);
  return raised.id;
}

interface Channel {
  id: string;
  quiet: QuietHours | null;
}

/** The channels that tell alerts of this kind about this suite; or the one that is tried. */
async function channelsFor(
  em: EntityManager,
  { tenantId, kind, suiteId, runId }: NewAlert,
  only?: string,
): Promise<Channel[]> {
  // A budget is that of all suites of the run, and told once.
  const isOfRun =
    kind === 'budget'
      ? sql`suite_id in (select s.suite_id from test_suite_runs s where s.tenant_id = ${tenantId} and s.run_id = ${runId}::uuid)`
      : sql`false`;
  const wanted =
    only === undefined
      ? sql`is_enabled and ${kind} = any(events) and (suite_id is null or suite_id = ${suiteId}::uuid or ${isOfRun})`
      : sql`id = ${only}::uuid`;
  const { rows } = await sql<{ id: string; from: string | null; until: string | null; timeZone: string | null }>`
    select id, quiet_from as "from", quiet_until as until, time_zone as "timeZone" from alert_channels
    where tenant_id = ${tenantId} and ${wanted} order by id`.execute(em.getKysely());
  return rows.map(({ id, from, until, timeZone }) => ({
    id,
    quiet: from === null || until === null ? null : { from, until, timeZone: timeZone ?? 'UTC' },
  }));
}

/** A judged suite run, as far as alerts want to know it. */
export interface WatchedSuiteRun {
  tenantId: string;
  id: string;
  runId: string;
  suiteId: string;
  suiteName: string;
  cellKey: string;
  isBase: boolean;
  pullRequest: number | null;
  triggeredBy: string;
}

/** Whoever opens a pull request looks at its check; nobody looks at what runs by itself. */
const isWatched = ({ isBase, triggeredBy, pullRequest }: WatchedSuiteRun): boolean =>
  pullRequest === null && (isBase || triggeredBy === 'schedule');

/** Raises what a verdict on a suite run of the base branch or of a schedule gives people to be told. */
export async function raiseOfVerdict(em: EntityManager, suiteRun: WatchedSuiteRun, verdict: Verdict): Promise<void> {
  if (!isWatched(suiteRun)) return;
  const { tenantId, id, runId, suiteId, suiteName, cellKey } = suiteRun;
  const about = { tenantId, suiteId, suiteName, cellKey, runId, suiteRunId: id };
  for (const { kind, facts, resolves } of decideAlerts(verdict, await openIncidents(em, suiteRun))) {
    if (resolves !== null && !(await endIncident(em, tenantId, resolves))) continue;
    // A budget is that of the run.
    const dedupeKey =
      kind === 'budget' ? `budget:${runId}` : `${kind}:${id}${resolves === null ? '' : `:${resolves.id}`}`;
    await raiseAlert(em, { ...about, kind, facts, dedupeKey, resolves: resolves?.id ?? null });
  }
}

/** Those of the cell, and a schedule that could not even start the suite. */
async function openIncidents(em: EntityManager, suiteRun: WatchedSuiteRun): Promise<OpenIncident[]> {
  const { tenantId, suiteId, cellKey } = suiteRun;
  const { rows } = await sql<OpenIncident>`
    select id, kind, facts, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt" from alerts
    where tenant_id = ${tenantId} and suite_id = ${suiteId} and (cell_key = ${cellKey} or run_id is null)
      and ended_at is null and kind in ('regression', 'nothing_executed')`.execute(em.getKysely());
  return rows;
}

async function endIncident(em: EntityManager, tenantId: string, { id }: OpenIncident): Promise<boolean> {
  const { rows } = await sql`
    update alerts set ended_at = now() where tenant_id = ${tenantId} and id = ${id} and ended_at is null
    returning 1`.execute(em.getKysely());
  return rows.length > 0;
}
