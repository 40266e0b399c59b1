import { randomUUID } from 'node:crypto';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import type { Caller } from '@proofmark/coordinator/caller';
import { claimTestRuns } from '@proofmark/coordinator/claim-test-runs';
import { openSession } from '@proofmark/coordinator/sessions';
import { startRun } from '@proofmark/coordinator/start-run';
import { StartRunInput } from '@proofmark/coordinator/start-run-input';
import type { z } from 'zod';
import type { Ledger } from './open-ledger.ts';

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
    `insert into users (tenant_id, login, kind) values ($1, 'ci', 'service') returning id`,
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

/** Starts a run that must start, and returns its id. */
export async function begin(ledger: Ledger, tenant: Tenant, input: StartRunInput = anInput()): Promise<string> {
  const answer = await startRun(portsOf(ledger), tenant.caller, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error, null, 2));
  return answer.runId;
}

export const newSession = (ledger: Ledger, leaseMs = 25_000, runnerId = 'runner-1'): Promise<string> =>
  openSession(ledger.database, { runnerId, pool: 'default', version: '0.0.0', slots: 8, leaseMs });

export interface Leased {
  tenantId: string;
  runId: string;
  suiteRunId: string;
  testRunId: string;
  sessionId: string;
  attempt: number;
}

/** Claims all queued test runs of a run for the session. */
export async function claimAll(ledger: Ledger, runId: string, sessionId: string): Promise<Leased[]> {
  const rows = await ledger.query<{ tenantId: string; suiteRunId: string; testRunId: string }>(
    `select tenant_id as "tenantId", suite_run_id as "suiteRunId", test_run_id as "testRunId" from test_run_leases
     where run_id = $1 and state = 'queued' order by sort_order, repetition`,
    [runId],
  );
  const { claimed } = await claimTestRuns(ledger.database, {
    sessionId,
    claimId: randomUUID(),
    testRunIds: rows.map(({ testRunId }) => testRunId),
  });
  return claimed.map(({ testRunId, attempt }) => ({
    ...given(rows.find((row) => row.testRunId === testRunId)),
    runId,
    sessionId,
    attempt,
  }));
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
  const { tenantId, runId, sessionId, suiteRunId, testRunId, attempt } = leased;
  return { v: 1, kind: 'results', tenantId, runId, sessionId, results: [{ testRunId, suiteRunId, attempt, outcome }] };
}

/** Suite runs whose counters are not what their rows say, or that are finished with something open. */
export async function miscounted({ query }: Ledger): Promise<Record<string, unknown>[]> {
  return query(`
    select r.id, r.status, r.total_cases, r.passed_cases, r.failed_cases, r.errored_cases, r.skipped_cases, c.*, l.open
    from test_suite_runs r
    cross join lateral (
      select count(*) filter (where c.status = 'passed')::int as passed, count(*) filter (where c.status in ('failed', 'error'))::int as failed,
        count(*) filter (where c.status = 'error')::int as errored, count(*) filter (where c.status = 'skipped')::int as skipped
      from test_case_results c where c.run_id = r.id) c
    cross join lateral (
      select count(*) filter (where l.state in ('queued', 'leased'))::int as open from test_run_leases l where l.suite_run_id = r.id) l
    where (r.passed_cases, r.failed_cases, r.errored_cases, r.skipped_cases) is distinct from (c.passed, c.failed, c.errored, c.skipped)
      or r.total_cases <> c.passed + c.failed + c.skipped + l.open
      or (l.open > 0) <> (r.status in ('pending', 'running'))`);
}
