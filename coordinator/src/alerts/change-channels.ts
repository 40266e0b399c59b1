import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AlertKind, ChannelKind } from '@proofmark/contracts/alert-message';
import { TimeZone } from '@proofmark/contracts/cron';
import { checkUrl } from '@proofmark/process/public-address';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, inTenant } from '../database/transactions.ts';
import type { AlertPorts } from './deliver-alert.ts';
import { raiseAlert } from './raise-alerts.ts';
import { sealText } from './sealed-text.ts';
import { urlsListedIn } from './send-webhook.ts';

const mostChannels = 100;
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day, such as 22:00');
const told = AlertKind.exclude(['test']);

/** What is asked of a channel; of one that is there, what is absent stays. */
const Asked = z.strictObject({
  name: z.string().trim().min(1).max(100).nullish(),
  kind: ChannelKind.nullish(),
  url: z.string().max(2000).nullish(),
  recipients: z.array(z.email()).max(20).nullish(),
  suiteId: z.uuid().nullish(),
  repositoryId: z.uuid().nullish(),
  events: z.array(told).min(1).nullish(),
  quietFrom: timeOfDay.nullish(),
  quietUntil: timeOfDay.nullish(),
  timeZone: TimeZone.nullish(),
  isEnabled: z.boolean().nullish(),
});
export const NewChannel = Asked.extend({ name: z.string().trim().min(1).max(100), kind: ChannelKind });
export const ChangedChannel = Asked.omit({ kind: true }).extend({ id: z.uuid() });

interface Problem {
  path: string;
  code: string;
  message: string;
}

export type ChannelAnswer = { ok: true; id: string } | { ok: false; what: string } | { ok: false; problems: Problem[] };

export type ChannelPorts = Pick<AlertPorts, 'sealingKey' | 'allowedOrigins' | 'mail' | 'feedback'> & {
  database: Database;
};

/** A channel as it is stored. */
interface Row {
  name: string;
  kind: ChannelKind;
  suiteId: string | null;
  repositoryId: string | null;
  recipients: string[];
  sealedUrl: string | null;
  shownUrl: string | null;
  events: string[];
  quietFrom: string | null;
  quietUntil: string | null;
  timeZone: string | null;
  isEnabled: boolean;
}

const problem = (path: string, message: string): Problem => ({ path, code: 'invalid_value', message });

/** Stores a way by which people are told. */
export async function createChannel(
  ports: ChannelPorts,
  tenantId: string,
  input: z.infer<typeof NewChannel>,
): Promise<ChannelAnswer> {
  return await inTenant(ports.database, tenantId, async (em) => {
    const kysely = em.getKysely();
    // Whoever comes second counts the channel of the first.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`alert channels ${tenantId}`}, 0))`.execute(kysely);
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from alert_channels`.execute(kysely);
    if ((rows[0]?.count ?? 0) >= mostChannels)
      return { ok: false, problems: [problem('name', `a tenant has at most ${mostChannels} channels; delete one`)] };
    const row = changed(ports, { ...fresh, name: input.name, kind: input.kind }, input);
    return await store(em, { ports, tenantId, id: randomUUID(), row });
  });
}

const fresh = {
  ...{ suiteId: null, repositoryId: null, recipients: [], sealedUrl: null, shownUrl: null },
  ...{ events: told.options, quietFrom: null, quietUntil: null, timeZone: null, isEnabled: true },
};

/** Changes a channel: what is absent stays, null goes back to the default. */
export async function updateChannel(
  ports: ChannelPorts,
  tenantId: string,
  { id, ...input }: z.infer<typeof ChangedChannel>,
): Promise<ChannelAnswer> {
  return await inTenant(ports.database, tenantId, async (em) => {
    const { rows } = await sql<Row>`
      select name, kind, suite_id as "suiteId", repository_id as "repositoryId", recipients, sealed_url as "sealedUrl",
        shown_url as "shownUrl", events, quiet_from as "quietFrom", quiet_until as "quietUntil", time_zone as "timeZone",
        is_enabled as "isEnabled"
      from alert_channels where id = ${id} for update`.execute(em.getKysely());
    if (rows[0] === undefined) return { ok: false, what: 'channel' };
    return await store(em, { ports, tenantId, id, row: changed(ports, rows[0], input) });
  });
}

function changed(ports: ChannelPorts, row: Row, { url, ...input }: z.infer<typeof Asked>): Row {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const defaults: Record<string, unknown> = { ...fresh, name: row.name, kind: row.kind };
  const merged = Object.fromEntries(given.map(([key, value]) => [key, value ?? defaults[key]]));
  const address =
    url === undefined
      ? {}
      : {
          sealedUrl: url === null ? null : sealText(ports.sealingKey, url),
          shownUrl: url === null ? null : shown(url),
        };
  return { ...row, ...merged, ...address };
}

/** Of an address that may hold secrets everywhere but in its origin. */
function shown(url: string): string {
  const origin = URL.parse(url)?.origin;
  return origin === undefined || origin === 'null' ? url : `${origin}/…`;
}

interface Storing {
  ports: ChannelPorts;
  tenantId: string;
  id: string;
  row: Row;
}

async function store(em: EntityManager, { ports, tenantId, id, row }: Storing): Promise<ChannelAnswer> {
  const problems = problemsOf(ports, row);
  if (problems.length > 0) return { ok: false, problems };
  const missing = await missingRow(em, row);
  if (missing !== null) return { ok: false, what: missing };
  const kysely = em.getKysely();
  const { rows } = await sql`
    select 1 from alert_channels where name = ${row.name} and id <> ${id}`.execute(kysely);
  if (rows.length > 0)
    return { ok: false, problems: [problem('name', `there is a channel with the name '${row.name}' already`)] };
  await sql`
    insert into alert_channels (tenant_id, id, name, kind, suite_id, repository_id, recipients, sealed_url, shown_url, events,
      quiet_from, quiet_until, time_zone, is_enabled)
    values (${tenantId}, ${id}, ${row.name}, ${row.kind}, ${row.suiteId}, ${row.repositoryId}, ${row.recipients}::text[],
      ${row.sealedUrl}, ${row.shownUrl}, ${row.events}::text[], ${row.quietFrom}, ${row.quietUntil}, ${row.timeZone},
      ${row.isEnabled})
    on conflict (tenant_id, id) do update set name = excluded.name, suite_id = excluded.suite_id,
      repository_id = excluded.repository_id, recipients = excluded.recipients, sealed_url = excluded.sealed_url,
      shown_url = excluded.shown_url, events = excluded.events, quiet_from = excluded.quiet_from,
      quiet_until = excluded.quiet_until, time_zone = excluded.time_zone, is_enabled = excluded.is_enabled,
      updated_at = now()`.execute(kysely);
  return { ok: true, id };
}

/** What each kind needs and the others must not have. */
function problemsOf(ports: ChannelPorts, row: Row): Problem[] {
  const { kind, sealedUrl, recipients, repositoryId, quietFrom, quietUntil } = row;
  const hasUrl = kind === 'webhook' || kind === 'slack';
  const wanted: [path: string, isNeeded: boolean, isGiven: boolean][] = [
    ['url', hasUrl, sealedUrl !== null],
    ['recipients', kind === 'email', recipients.length > 0],
    ['repositoryId', kind === 'github_issue', repositoryId !== null],
  ];
  const problems = wanted.flatMap(([path, isNeeded, isGiven]) => {
    if (isNeeded && !isGiven) return problem(path, `is missing; a channel of the kind ${kind} needs it`);
    return !isNeeded && isGiven ? problem(path, `is nothing that a channel of the kind ${kind} has`) : [];
  });
  if (kind === 'email' && ports.mail === null)
    problems.push(problem('kind', 'no mail server is configured; the operator sets PROOFMARK_SMTP_URL'));
  if (kind === 'github_issue' && ports.feedback === null)
    problems.push(problem('kind', 'no GitHub App is configured, which would open the issues'));
  if ((quietFrom === null) !== (quietUntil === null))
    problems.push(problem(quietFrom === null ? 'quietFrom' : 'quietUntil', 'is missing; quiet hours have both ends'));
  return problems;
}

/** Whether the address of a channel may be called at all; asked again when it is. */
export function urlProblem({ allowedOrigins }: Pick<ChannelPorts, 'allowedOrigins'>, url: string): Problem | null {
  const checked = checkUrl(url, allowedOrigins, urlsListedIn);
  return checked.ok ? null : problem('url', checked.message);
}

async function missingRow(em: EntityManager, { suiteId, repositoryId }: Row): Promise<string | null> {
  const { rows } = await sql<{ suite: boolean; repository: boolean }>`
    select ${suiteId}::uuid is null or exists (
        select 1 from agent_test_suites where id = ${suiteId} and deleted_at is null) as suite,
      ${repositoryId}::uuid is null or exists (select 1 from repositories where id = ${repositoryId}) as repository`.execute(
    em.getKysely(),
  );
  return rows[0]?.suite === false ? 'suite' : rows[0]?.repository === false ? 'repository' : null;
}

/** Deletes a channel; what was sent by it stays listed. False: there is none. */
export async function deleteChannel(database: Database, tenantId: string, id: string): Promise<boolean> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql`delete from alert_channels where id = ${id} returning 1`.execute(em.getKysely());
    return rows.length > 0;
  });
}

/** Sends a test by a channel, the way that alerts go. Null: there is no such channel. */
export async function testChannel(database: Database, tenantId: string, id: string): Promise<string | null> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql`select 1 from alert_channels where id = ${id}`.execute(em.getKysely());
    if (rows.length === 0) return null;
    const alert = { tenantId, suiteId: null, suiteName: null, cellKey: '', runId: null, suiteRunId: null };
    return await raiseAlert(
      em,
      { ...alert, kind: 'test', facts: {}, dedupeKey: `test:${randomUUID()}`, resolves: null },
      id,
    );
  });
}
