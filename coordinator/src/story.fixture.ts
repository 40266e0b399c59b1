import { randomUUID } from 'node:crypto';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { afterAll, afterEach, beforeEach, expect, inject } from 'vitest';
import type { z } from 'zod';
import type { Caller } from './access/caller.ts';
import { connect } from './database/connect.ts';
import { type Ledger, openLedger } from './database/open-ledger.fixture.ts';
import { asNobody, asWorker } from './database/transactions.ts';
import { claimChunks } from './ledger/claim-chunks.ts';
import { planStep } from './ledger/plan-steps.ts';
import { storeSession } from './ledger/sessions.ts';
import { startRun } from './start/start-run.ts';

export interface Tenant {
  id: string;
  userId: string;
  caller: Caller;
}

/** A tenant with a service user and a token that may do everything. */
export async function newTenant({ query }: Ledger, name = `tenant ${randomUUID()}`): Promise<Tenant> {
  const [tenant] = await query<{ id: string }>('insert into tenants (name) values ($1) returning id', [name]);
  const id = given(tenant).id;
  const [user] = await query<{ id: string }>(
    `insert into users (tenant_id, login, kind, role) values ($1, 'ci', 'service', 'admin') returning id`,
    [id],
  );
  const userId = given(user).id;
  const caller: Caller = {
    tenantId: id,
    userId,
    tokenId: randomUUID(),
    kind: 'api',
    scopes: new Set(['admin']),
    repositoryId: null,
    claims: null,
  };
  return { id, userId, caller };
}

/** Repository 77, which is enrolled, and on request has the App. It belongs to one tenant: the one of an earlier story gives it away. */
export async function newRepository(
  { query }: Ledger,
  tenant: Tenant,
  installationId: string | null = null,
): Promise<string> {
  await query(
    `update repositories set external_id = 'released:' || id where host = 'github.com' and external_id = '77'`,
  );
  const [row] = await query<{ id: string }>(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch, installation_id)
     values ($1, 'github.com', '77', '7', 'acme/shop', 'main', $2) returning id`,
    [tenant.id, installationId],
  );
  return given(row).id;
}

export function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('expected a value');
  return value;
}

interface SuiteSketch {
  name?: string;
  cases?: number;
  repetitions?: number;
  instructions?: string;
  extra?: string;
}

/** A suite file with a scripted agent and as many cases as wanted. */
export function suiteFile({
  name = 'Support',
  cases = 3,
  repetitions = 1,
  instructions = 'Be kind.',
  extra = '',
}: SuiteSketch = {}): string {
  const list = Array.from(
    { length: cases },
    (_, index) => `  - name: case ${index + 1}
    input: question ${index + 1}
    expected_behavior: { checks: [ { type: contains_phrases, phrases: [yes] } ] }`,
  );
  return `name: ${name}
agent:
  name: ${name} agent
  instructions: ${instructions}
  driver: { type: scripted, replies: [ { reply: "yes" } ] }
repetitions: ${repetitions}
${extra}
cases:
${list.join('\n')}
`;
}

type Given = Partial<z.input<typeof StartRunInput>>;

export const anInput = (given: Given = {}): StartRunInput =>
  StartRunInput.parse({
    idempotencyKey: randomUUID(),
    trigger: { triggeredBy: 'api' },
    files: [{ path: 'evals/support.suite.yaml', text: suiteFile() }],
    suitePaths: ['evals/support.suite.yaml'],
    ...given,
  });

export const portsOf = ({ database }: Ledger) => ({ database, forge: null, deadlineMs: 3_600_000 });

/** Starts a run that must start, queues all of it as the loops do, and returns its id. */
export async function begin(ledger: Ledger, tenant: Tenant, input: StartRunInput = anInput()): Promise<string> {
  const answer = await startRun(portsOf(ledger), tenant.caller, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error, null, 2));
  while ((await planStep(ledger.database)) !== null);
  return answer.runId;
}

export const newSession = (ledger: Ledger, leaseMs = 25_000, runnerId = 'runner-1'): Promise<string> =>
  storeSession(ledger.database, { runnerId, pools: ['default'], version: '0.0.0', slots: 8, leaseMs });

/**
 * Every test run that was queued for a runner, with what it was planned to do, the chunk in which it stands and its place
 * there: SQL for a `from`.
 */
export const leases = `(
  select distinct on (p.run_id, p.test_run_id) p.*, c.id as chunk_id, (m.n - 1)::int as at, c.state, c.attempt, c.session_id,
    c.crash_count, c.missed_beats, c.publish_gen, c.published_at, c.contents, ws.content::jsonb || wc.content::jsonb
      || jsonb_build_object('repetition', p.repetition, 'seed', p.seed) as work
  from chunks c cross join lateral unnest(c.members) with ordinality m(test_run_id, n)
  join planned_test_runs p on p.tenant_id = c.tenant_id and p.test_run_id = m.test_run_id
  join work_contents ws on ws.tenant_id = p.tenant_id and ws.hash = p.setting_hash
  join work_contents wc on wc.tenant_id = p.tenant_id and wc.hash = p.case_content_hash
  order by p.run_id, p.test_run_id, c.state in ('queued', 'leased') and (c.settled >> (m.n - 1)::int) & 1 = 0 desc,
    c.attempt desc)`;

export interface Leased {
  tenantId: string;
  runId: string;
  suiteRunId: string;
  testRunId: string;
  chunkId: string;
  at: number;
  sessionId: string;
  attempt: number;
}

/** The chunk of a test run, as messages name it. */
export const chunkOf = ({ tenantId, chunkId, attempt }: Leased) => ({ tenantId, chunkId, attempt });

/** The test run, as messages name it. */
export const placeOf = (leased: Leased) => ({ ...chunkOf(leased), at: [leased.at] });

interface Claim {
  sessionId: string;
  claimId?: string;
  testRunIds: readonly string[];
}

/** Claims the chunks in which these test runs stand, and returns all test runs of those that were won. */
export async function claimTestRuns(ledger: Ledger, claim: Claim): Promise<(Leased & { solo: boolean })[]> {
  const { sessionId, claimId = randomUUID(), testRunIds } = claim;
  const rows = await ledger.query<Omit<Leased, 'sessionId' | 'attempt'>>(
    `select p.tenant_id as "tenantId", p.run_id as "runId", p.suite_run_id as "suiteRunId", p.test_run_id as "testRunId",
       c.id as "chunkId", (m.n - 1)::int as at
     from chunks c cross join lateral unnest(c.members) with ordinality m(id, n)
     join planned_test_runs p on p.tenant_id = c.tenant_id and p.test_run_id = m.id
     where c.members && $1::uuid[] and (c.settled >> (m.n - 1)::int) & 1 = 0 order by p.sort_order, p.repetition`,
    [testRunIds],
  );
  const chunks = [...new Map(rows.map(({ tenantId, chunkId }) => [chunkId, { tenantId, chunkId }])).values()];
  if (chunks.length === 0) return [];
  const [claimed = []] = await claimChunks(ledger.database, [{ sessionId, claimId, chunks }]);
  return rows.flatMap((row) => {
    const won = claimed.find(({ chunkId }) => chunkId === row.chunkId);
    return won === undefined ? [] : [{ ...row, sessionId, attempt: won.attempt, solo: won.solo }];
  });
}

/** Claims all queued test runs of a run for the session. */
export async function claimAll(ledger: Ledger, runId: string, sessionId: string): Promise<Leased[]> {
  const rows = await ledger.query<{ id: string }>(
    `select test_run_id as id from ${leases} l where run_id = $1 and state = 'queued'`,
    [runId],
  );
  const claimed = await claimTestRuns(ledger, { sessionId, testRunIds: rows.map(({ id }) => id) });
  return claimed.map(({ solo: _solo, ...leased }) => leased);
}

export const anOutcome = (given: Partial<CaseOutcome> = {}): CaseOutcome =>
  CaseOutcome.parse({
    status: 'passed',
    errorKind: null,
    errorMessage: null,
    testInput: 'question',
    files: [],
    response: 'yes',
    model: 'scripted',
    usage: { promptTokens: 10, completionTokens: 2 },
    costUsd: 0.001,
    latencyMs: 12.5,
    executionTimeMs: 13,
    startedAt: '2026-01-31T12:00:00.000Z',
    ...given,
  });

/** The message in which a runner sends this result. */
export function resultOf(leased: Leased, outcome: CaseOutcome = anOutcome()): ResultMessage {
  const { tenantId, runId, sessionId, chunkId, at, attempt } = leased;
  return { v: 1, kind: 'results', tenantId, runId, sessionId, results: [{ chunkId, at, attempt, outcome }] };
}

/** Suite runs whose counters are not what their rows and the rows that are still to be written say, or that are finished with something open. */
export async function miscounted({ query }: Ledger): Promise<Record<string, unknown>[]> {
  return query(`
    select r.id, r.status, r.total_cases, r.passed_cases, r.failed_cases, r.errored_cases, r.skipped_cases, c.*, l.open
    from test_suite_runs r
    cross join lateral (
      select case when r.ending #>> '{closing,status}' = 'error' then r.unwritten_cases else 0 end as errors,
        case when r.ending #>> '{closing,status}' = 'skipped' then r.unwritten_cases else 0 end as skips) u
    cross join lateral (
      select count(*) filter (where c.status = 'passed')::int as passed, u.errors + count(*) filter (where c.status in ('failed', 'error'))::int as failed,
        u.errors + count(*) filter (where c.status = 'error')::int as errored, u.skips + count(*) filter (where c.status = 'skipped')::int as skipped
      from test_case_results c where c.run_id = r.id) c
    cross join lateral (
      select count(*)::int as open from chunks k cross join lateral unnest(k.members) with ordinality m(id, n)
      join planned_test_runs p on p.test_run_id = m.id and p.suite_run_id = r.id
      where k.run_id = r.run_id and k.state in ('queued', 'leased') and (k.settled >> (m.n - 1)::int) & 1 = 0) l
    where (r.passed_cases, r.failed_cases, r.errored_cases, r.skipped_cases) is distinct from (c.passed, c.failed, c.errored, c.skipped)
      or r.total_cases <> c.passed + c.failed + c.skipped + l.open - r.unwritten_cases
      or (l.open > r.unwritten_cases and r.status not in ('pending', 'running'))
      or (l.open = 0 and r.unwritten_cases = 0 and r.status in ('pending', 'running'))
      or exists (select 1 from chunks k where k.suite_run_id = r.id
        and k.open_count <> cardinality(k.members) - bit_count(k.settled::bit(64)))`);
}

/**
 * Rows of these tables and of their indexes that were read so far. Each login tells what its connection has read, so the ledger
 * was opened with one connection for each; the superuser, who reads for tests, has one as long as one is enough.
 */
export async function rowsRead({ database, query }: Ledger, tables: readonly string[]): Promise<number> {
  for (const login of [asWorker, asNobody]) {
    await login(database, (em) => em.execute('select pg_stat_force_next_flush()'));
    await login(database, (em) => em.execute('select 1'));
  }
  await query('select pg_stat_force_next_flush()');
  await query('select 1');
  const [row] = await query<{ read: number }>(
    `select (select sum(seq_tup_read) from pg_stat_user_tables where relname = any($1))::int
       + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = any($1))::int as read`,
    [tables],
  );
  return given(row).read;
}

/** A ledger of its own for the tests of a file. */
export async function ownLedger(poolSize?: number): Promise<Ledger> {
  const ledger = await openLedger(inject('postgresUrl'), poolSize);
  afterAll(() => ledger.close());
  return ledger;
}

/** The same with a tenant in it; after each test the counters of all suite runs are those of their rows. */
export async function openStory(): Promise<{ ledger: Ledger; tenant: Tenant }> {
  const ledger = await ownLedger();
  afterEach(async () => {
    expect(await miscounted(ledger)).toEqual([]);
  });
  return { ledger, tenant: await newTenant(ledger) };
}

/** The same for every test alone: what it expects depends on all that the ledger holds. */
export function inEachTest(begin: (story: { ledger: Ledger; tenant: Tenant }) => void | Promise<void>): void {
  let ledger: Ledger | undefined;
  beforeEach(async () => {
    ledger = await openLedger(inject('postgresUrl'));
    await begin({ ledger, tenant: await newTenant(ledger) });
  });
  afterEach(() => ledger?.close());
}

/** The connections of another coordinator to the ledger, for the tests of a file. */
export async function anotherReplica({ appUrl, workerUrl }: Ledger, poolSize: number): Promise<Ledger['database']> {
  const database = connect({
    PROOFMARK_APP_DATABASE_URL: appUrl,
    PROOFMARK_WORKER_DATABASE_URL: workerUrl,
    PROOFMARK_DATABASE_POOL: poolSize,
  });
  afterAll(() => database.close());
  return database;
}
