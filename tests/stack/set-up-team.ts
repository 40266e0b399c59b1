import pg from 'pg';
import { z } from 'zod';

interface Place {
  url: string;
  token: string;
  databaseUrl: string;
}

const Answer = z.object({
  data: z.object({ told: z.looseObject({ __typename: z.string(), token: z.string().optional() }) }),
});

/** Does one thing as whoever has the token, and says what came of it. */
async function tell(url: string, token: string, mutation: string): Promise<{ token?: string | undefined }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: `mutation { told: ${mutation} }` }),
  });
  const { told } = Answer.parse(await response.json()).data;
  if (!told.__typename.endsWith('Success')) throw new Error(`${mutation} came to ${JSON.stringify(told)}`);
  return told;
}

const person = (login: string, displayName: string, role: string) =>
  `createPerson(input: { login: "${login}", displayName: "${displayName}", role: ${role} }) { __typename }`;
const newToken = (login: string, name: string, scopes: string) =>
  `createApiToken(input: { name: "${name}", login: "${login}", scopes: [${scopes}], expiresInDays: 90 }) { __typename ... on CreateApiTokenSuccess { token } }`;

/** What the admin of the shop did, and how many hours ago. */
const deeds: readonly (readonly [hoursAgo: number, mutation: string])[] = [
  [503, person('ben', 'Ben Sattler', 'WRITER')],
  [503, person('mei', 'Mei Tanaka', 'WRITER')],
  [502, person('tomasz', 'Tomasz Zielinski', 'WRITER')],
  [489, person('lena', 'Lena Hoffmann', 'READER')],
  [
    480,
    'createService(input: { login: "nightly-export", displayName: "Numbers for the weekly mail", role: CI }) { __typename }',
  ],
  [480, newToken('nightly-export', 'weekly mail', 'RUNS_READ')],
  [471, newToken('mei', 'laptop of mei', 'RUNS_READ, RUNS_WRITE')],
  [452, 'updateSetting(input: { key: "test_suites.retention_days", value: "180" }) { __typename }'],
  [
    298,
    `createAlertChannel(input: { name: "agents on call", kind: SLACK, url: "https://hooks.example.com/services/shop",
      quietFrom: "20:00", quietUntil: "07:00", timeZone: "Europe/Berlin" }) { __typename }`,
  ],
  [
    270,
    `createAlertChannel(input: { name: "incident desk", kind: WEBHOOK, url: "https://incidents.example.com/hook",
      events: [REGRESSION, NOTHING_EXECUTED, RECOVERED] }) { __typename }`,
  ],
  [51, newToken('ben', 'laptop of ben', 'RUNS_READ, RUNS_WRITE')],
];

/** Who works with the shop, with which tokens, and who was told of what. After its runs; gives the token of the admin. */
export async function setUpTeam({ url, token, databaseUrl }: Place): Promise<string> {
  await tell(url, token, person('olivia', 'Olivia Fern', 'ADMIN'));
  const { token: olivia } = await tell(
    url,
    token,
    newToken('olivia', 'desk of olivia', 'RUNS_READ, RUNS_WRITE, BASELINE_WRITE, ADMIN'),
  );
  if (olivia === undefined) throw new Error('Olivia got no token');
  const ledger = new pg.Client({ connectionString: databaseUrl });
  await ledger.connect();
  try {
    await moveBack(ledger, 504);
    for (const [hoursAgo, mutation] of deeds) {
      await tell(url, olivia, mutation);
      await moveBack(ledger, hoursAgo);
    }
    await ledger.query(told);
  } finally {
    await ledger.end();
  }
  return olivia;
}

/** What was done a moment ago is moved to its time, and nobody notes that. */
async function moveBack(ledger: pg.Client, hoursAgo: number): Promise<void> {
  const at = `now() - interval '${hoursAgo} hours' - random() * interval '20 minutes'`;
  const isNew = (column: string) => `${column} > now() - interval '1 hour'`;
  await ledger.query(`
    begin;
    set local session_replication_role = replica;
    update audit_entries set at = ${at} where ${isNew('at')} and subject <> 'session';
    update api_tokens set created_at = ${at} where ${isNew('created_at')} and kind = 'api';
    update alert_channels set created_at = ${at} where ${isNew('created_at')};
    commit`);
}

/** The clock started each nightly run, once it was out of step, and the channels told what they were for. Nothing is sent: there is nobody. */
const told = `
  begin;
  set local session_replication_role = replica;
  insert into scheduled_runs (tenant_id, suite_id, window_start, due_at, taken_at, state, run_id)
    select distinct r.tenant_id, s.suite_id, r.created_at, r.created_at, r.created_at, 'started', r.id
    from runs r join test_suite_runs s on s.run_id = r.id where r.triggered_by = 'schedule';
  insert into scheduled_runs (tenant_id, suite_id, window_start, due_at, taken_at, state, reason)
    select tenant_id, id, at, at, at, 'refused', 'evals/returns.suite.yaml:14:7 unknown key "tool"; did you mean "tools"?'
    from agent_test_suites, (select now() - interval '366 hours' as at) nightly where name = 'Returns';
  insert into outbox (tenant_id, kind, dedupe_key, alert_id, subject, state, tries, created_at, updated_at)
    select a.tenant_id, 'alert', a.id || ':' || c.id, a.id, jsonb_build_object('channelId', c.id), 'done', 1, a.created_at, a.created_at
    from alerts a join alert_channels c on c.tenant_id = a.tenant_id and c.created_at < a.created_at and a.kind = any(c.events);
  update api_tokens set last_used_at = now() - random() * interval '30 hours' where kind = 'api';
  commit`;
