import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import type { Caller } from '../access/caller.ts';
import { keysOf, type RowKey } from '../database/row-key.ts';
import { asWorker } from '../database/transactions.ts';
import { cancelRun } from '../ledger/cancel-run.ts';
import { lockSuiteRuns } from '../ledger/lock-suite-runs.ts';
import {
  anInput,
  given,
  newRepository,
  newTenant,
  openStory,
  portsOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { startRun } from './start-run.ts';

const { ledger } = await openStory();
const path = 'evals/support.suite.yaml';

/** A commit for each test. */
let headSha = '';
let tenant: Tenant;
let repositoryId: string;
beforeAll(async () => {
  tenant = await newTenant(ledger);
  repositoryId = await newRepository(ledger, tenant);
});
beforeEach(() => {
  headSha = randomBytes(20).toString('hex');
});

/** A job of a workflow run about the same pull request. */
const job = (workflowRunId: string, attempt = '1'): Caller => ({
  ...tenant.caller,
  kind: 'run',
  scopes: new Set(['runs:read', 'runs:write']),
  repositoryId,
  claims: {
    ...{ host: 'github.com', repositoryId: '77', ownerId: '7', repository: 'acme/shop' },
    ...{
      workflowRunId,
      workflowRunAttempt: attempt,
      event: 'pull_request',
      ref: 'refs/pull/12/merge',
      sha: 'f'.repeat(40),
    },
  },
});

interface Sent {
  text?: string;
  suitePath?: string;
  settings?: { checkName?: string; reuse?: boolean };
}

const start = async (caller: Caller, { text = suiteFile(), suitePath = path, settings = {} }: Sent = {}) => {
  const { workflowRunId = '', workflowRunAttempt = '' } = caller.claims ?? {};
  const input = anInput({
    idempotencyKey: `gha:${headSha}:${workflowRunId}:${workflowRunAttempt}:${settings.checkName ?? 'proofmark'}`,
    trigger: {
      triggeredBy: 'ci',
      host: 'github.com',
      repositoryExternalId: '77',
      headSha,
      ...(caller.claims && { workflowRunId, workflowRunAttempt }),
    },
    files: [{ path: suitePath, text }],
    suitePaths: [suitePath],
    settings,
  });
  const answer = await startRun(portsOf(ledger), caller, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer;
};

const runOf = async (id: string) =>
  given(
    (await ledger.query<{ status: string; jobs: string[] }>('select status, jobs from runs where id = $1', [id]))[0],
  );

it('a job of another workflow run with the same content joins the run that is active (1.6.5)', async () => {
  const first = await start(job('1'));
  const second = await start(job('2'));
  expect(first.created).toBe(true);
  expect(second).toMatchObject({ runId: first.runId, created: false });
  expect((await start(job('2'))).runId).toBe(first.runId);
  expect(await runOf(first.runId)).toEqual({ status: 'pending', jobs: ['1', '2'] });
});

it('two jobs that send the same at the same moment are one run', async () => {
  const started = await Promise.all(['1', '2', '3', '4'].map((id) => start(job(id))));
  expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
  expect(started.filter(({ created }) => created)).toHaveLength(1);
  expect((await runOf(given(started[0]).runId)).jobs.toSorted()).toEqual(['1', '2', '3', '4']);
});

it.for([
  ['other definitions', { text: suiteFile({ instructions: 'Be rude.' }) }],
  ['another check name', { settings: { checkName: 'evals' } }],
  ['another setting', { settings: { reuse: false } }],
] as const)('%s is another run', async ([, sent]) => {
  const first = await start(job('1'));
  expect(await start(job('2'), sent)).toMatchObject({ created: true });
  expect((await runOf(first.runId)).jobs).toEqual(['1']);
});

it('a run that has ended, and the run of an API token, are joined by nobody', async () => {
  const first = await start(job('1'));
  await ledger.query(`update runs set status = 'completed', completed_at = now() where id = $1`, [first.runId]);
  expect(await start(job('2'))).toMatchObject({ created: true });
  await ledger.query(`update runs set status = 'completed', completed_at = now() where tenant_id = $1`, [tenant.id]);
  const token: Caller = { ...tenant.caller, repositoryId };
  await start(token);
  expect(await start(job('3'))).toMatchObject({ created: true });
});

it('the same request of a job that has joined is the same run once that has ended, and another request is a conflict', async () => {
  const first = await start(job('1'));
  await start(job('2'));
  await ledger.query(`update runs set status = 'completed', completed_at = now() where id = $1`, [first.runId]);
  expect(await start(job('2'))).toMatchObject({ runId: first.runId, created: false });
  await expect(start(job('2'), { text: suiteFile({ instructions: 'Be rude.' }) })).rejects.toThrow(
    `"code":"IDEMPOTENCY_CONFLICT","runId":"${first.runId}"`,
  );
  // Whoever starts the job again asks for a new run, as before.
  expect(await start(job('2', '2'))).toMatchObject({ created: true });
});

it('the run goes on while one of its jobs waits for it, and ends with the last', async () => {
  const { runId } = await start(job('1'));
  await start(job('2'));
  const { database } = ledger;
  expect(await cancelRun(database, job('1'), runId)).toMatchObject({
    ok: true,
    run: { status: 'pending', changed: false },
  });
  expect(await cancelRun(database, job('1'), runId)).toMatchObject({ ok: true, run: { changed: false } });
  expect(await cancelRun(database, job('3'), runId)).toEqual({ ok: false, error: { code: 'FORBIDDEN' } });
  expect(await cancelRun(database, job('2'), runId)).toMatchObject({
    ok: true,
    run: { status: 'cancelled', changed: true },
  });
});

it('a job that leaves takes the suite runs before the run, as everybody does', async () => {
  const { runId } = await start(job('1'));
  const key = [{ tenantId: tenant.id, id: runId }];
  const leaving = await asWorker(ledger.database, async (em) => {
    const suiteRuns = await ledger.query<RowKey>(
      'select tenant_id as "tenantId", id from test_suite_runs where run_id = $1',
      [runId],
    );
    await lockSuiteRuns(em, suiteRuns);
    const cancelled = cancelRun(ledger.database, job('1'), runId);
    const isAwaited = async () => (await ledger.query(waiting)).length > 0;
    await waitUntil(isAwaited, { what: 'the job waits for the suite runs' });
    const { rows } = await sql`
      select 1 from runs r where (r.tenant_id, r.id) in ${keysOf(key)} for no key update skip locked`.execute(
      em.getKysely(),
    );
    expect(rows).toHaveLength(1);
    return { cancelled };
  });
  expect(await leaving.cancelled).toMatchObject({ ok: true, run: { status: 'cancelled', changed: true } });
});
const waiting = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and a.datname = current_database()`;

it('a run that all of its jobs have left is joined by nobody', async () => {
  const { runId } = await start(job('1'));
  await ledger.query(`update runs set jobs = '{}' where id = $1`, [runId]);
  expect(await start(job('2'))).toMatchObject({ created: true });
});

it('two workflows that tell about different suites under one check name are warned, once the second comes', async () => {
  const other = { text: suiteFile({ name: 'Other' }), suitePath: 'evals/other.suite.yaml' };
  const first = await start(job('11'), { settings: { checkName: 'shared' } });
  const second = await start(job('12'), { ...other, settings: { checkName: 'shared' } });
  const own = await start(job('13'), { ...other, settings: { checkName: 'own' } });
  expect([first.warnings, own.warnings]).toEqual([[], []]);
  expect(second.warnings).toEqual([
    expect.objectContaining({ severity: 'warning', message: expect.stringContaining('[duplicate_check_name]') }),
  ]);
});
