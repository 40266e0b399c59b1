import { beforeAll, expect, it } from 'vitest';
import type { Caller } from '../access/caller.ts';
import {
  anInput,
  given,
  leases,
  newRepository,
  newTenant,
  openStory,
  portsOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { startRun } from './start-run.ts';

const { ledger, tenant } = await openStory();

const path = 'evals/a.suite.yaml';
const sha = (letter: string) => letter.repeat(40);
const withSuite = (text: string, more: Parameters<typeof anInput>[0] = {}) =>
  anInput({ files: [{ path, text }], suitePaths: [path], ...more });

const claims = {
  host: 'github.com',
  repositoryId: '77',
  ownerId: '7',
  repository: 'acme/shop',
  workflowRunId: '1001',
  workflowRunAttempt: '1',
  event: 'pull_request',
  ref: 'refs/pull/12/merge',
  sha: sha('f'),
};
const trigger = {
  triggeredBy: 'ci' as const,
  event: 'push',
  host: 'github.com',
  repositoryExternalId: '77',
  ref: 'refs/heads/main',
  headSha: sha('a'),
};
let acme: Tenant;
let repositoryId: string;
let job: Caller;
beforeAll(async () => {
  acme = await newTenant(ledger);
  repositoryId = await newRepository(ledger, acme, '5');
  job = { ...acme.caller, kind: 'run', scopes: new Set(['runs:write']), repositoryId, claims };
});
const runById = async (id: string) =>
  given(
    (
      await ledger.query(
        'select event, ref, head_sha, pull_request, is_base, trigger, base_sha, triggered_by from runs where id = $1',
        [id],
      )
    )[0],
  );

it('believes the token of a CI job about where the run comes from, and the job about its head (C19, C22, github 1.6)', async () => {
  const lies = {
    ...trigger,
    event: 'push',
    ref: 'refs/heads/main',
    headSha: sha('b'),
    baseSha: sha('a'),
    pullRequest: 99,
    workflowRunId: '5',
    author: 'octocat',
  };
  const answer = await startRun(portsOf(ledger), job, withSuite(suiteFile({ name: 'Job' }), { trigger: lies }));
  const run = await runById(answer.ok ? answer.runId : '');
  expect(run).toMatchObject({
    event: 'pull_request',
    ref: 'refs/pull/12/merge',
    head_sha: sha('b'),
    pull_request: 12,
    is_base: false,
    triggered_by: 'ci',
  });
  expect(run.trigger).toMatchObject({ workflowRunId: '1001', repositoryFullName: 'acme/shop', author: 'octocat' });
});

it('records a push to the default branch as base, and no other branch and no pull request', async () => {
  const scopes = new Set(['runs:write', 'baseline:write'] as const);
  const push = { ...job, scopes, claims: { ...claims, event: 'push', ref: 'refs/heads/main', sha: sha('c') } };
  const main = await startRun(portsOf(ledger), push, withSuite(suiteFile({ name: 'Base' }), { trigger }));
  expect(await runById(main.ok ? main.runId : '')).toMatchObject({ is_base: true, head_sha: sha('c') });
  const branch = { ...job, claims: { ...claims, event: 'push', ref: 'refs/heads/feature', sha: sha('d') } };
  const other = await startRun(portsOf(ledger), branch, withSuite(suiteFile({ name: 'Base' }), { trigger }));
  expect(await runById(other.ok ? other.runId : '')).toMatchObject({ is_base: false });
  const pulled = await startRun(portsOf(ledger), job, withSuite(suiteFile({ name: 'Base' }), { trigger }));
  expect(await runById(pulled.ok ? pulled.runId : '')).toMatchObject({ is_base: false });
});

it('records a base run of an API token only with the scope for it', async () => {
  const may: Caller = { ...acme.caller, scopes: new Set(['runs:write', 'baseline:write']) };
  const mayNot: Caller = { ...acme.caller, scopes: new Set(['runs:write']) };
  for (const [caller, isBase] of [
    [may, true],
    [mayNot, false],
  ] as const) {
    const answer = await startRun(portsOf(ledger), caller, withSuite(suiteFile({ name: 'Base' }), { trigger }));
    expect(await runById(answer.ok ? answer.runId : '')).toMatchObject({ is_base: isBase });
  }
});

it('lets no file of a request say which branches are base branches, but an admin of the repository', async () => {
  const scopes = new Set(['runs:write', 'baseline:write'] as const);
  const mine = { ...claims, event: 'push', ref: 'refs/heads/mine', sha: sha('e') };
  const project = { path: 'proofmark.yaml', text: 'baseline_branches: [mine]\n' };
  const files = [{ path, text: suiteFile({ name: 'Mine' }) }, project];
  const start = async () => {
    const input = anInput({ files, suitePaths: [path], projectPath: 'proofmark.yaml', trigger });
    const answer = await startRun(portsOf(ledger), { ...job, scopes, claims: mine }, input);
    return await runById(answer.ok ? answer.runId : '');
  };
  expect(await start()).toMatchObject({ is_base: false });
  await ledger.query("update repositories set baseline_branches = '{mine}' where id = $1", [repositoryId]);
  expect(await start()).toMatchObject({ is_base: true });
  await ledger.query("update repositories set baseline_branches = '{}' where id = $1", [repositoryId]);
});

it('lets an API token speak for a pull request only with the scope that says so', async () => {
  const proposal = { ...trigger, event: 'pull_request', ref: 'refs/pull/9/head', pullRequest: 9 };
  const input = () => withSuite(suiteFile({ name: 'Spoken' }), { trigger: proposal });
  const ask = (scopes: Caller['scopes']) => startRun(portsOf(ledger), { ...acme.caller, scopes }, input());
  expect(await ask(new Set(['runs:write', 'baseline:write']))).toMatchObject({
    ok: false,
    error: { code: 'FORBIDDEN', message: expect.stringContaining('pull-requests:write') },
  });
  expect(await ask(new Set(['runs:write', 'pull-requests:write']))).toMatchObject({ ok: true });
});

it('keeps the keys of two repositories apart: nobody takes the key of a run that is not his', async () => {
  const [other] = await ledger.query<{ id: string }>(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name)
     values ($1, 'github.com', '79', '7', 'acme/other') returning id`,
    [acme.id],
  );
  const idempotencyKey = 'gha:github.com:77:1:1:a:proofmark';
  const input = withSuite(suiteFile({ name: 'Keyed' }), { idempotencyKey, trigger });
  const stranger: Caller = { ...job, repositoryId: other?.id ?? '', claims: { ...claims, repositoryId: '79' } };
  expect(await startRun(portsOf(ledger), stranger, input)).toMatchObject({ ok: true, created: true });
  expect(await startRun(portsOf(ledger), job, input)).toMatchObject({ ok: true, created: true });
});

it('refuses a repository that is not enrolled and a token bound to another', async () => {
  const unknown = withSuite(suiteFile(), { trigger: { ...trigger, repositoryExternalId: '78' } });
  expect(await startRun(portsOf(ledger), acme.caller, unknown)).toMatchObject({
    ok: false,
    error: { code: 'FORBIDDEN' },
  });
  const bound = { ...acme.caller, repositoryId: tenant.userId };
  expect(await startRun(portsOf(ledger), bound, withSuite(suiteFile(), { trigger }))).toMatchObject({
    ok: false,
    error: { code: 'FORBIDDEN' },
  });
});

it('wants a check for the run and each suite, and one comment of the pull request that belongs to the newest run', async () => {
  const first = await startRun(
    portsOf(ledger),
    job,
    withSuite(suiteFile({ name: 'Checks' }), { trigger: { ...trigger, headSha: sha('1') } }),
  );
  const second = await startRun(
    portsOf(ledger),
    job,
    withSuite(suiteFile({ name: 'Checks' }), { trigger: { ...trigger, headSha: sha('2') } }),
  );
  const runIds = [first, second].map((answer) => (answer.ok ? answer.runId : ''));
  const rows = await ledger.query(
    `select kind, dedupe_key, run_id, subject ->> 'name' as name, subject ->> 'headSha' as head, state from outbox
     where run_id = any($1) and kind <> 'finish-suite-run' order by kind, dedupe_key`,
    [runIds],
  );
  expect(rows.filter((row) => row.run_id === runIds[0])).toEqual([
    {
      kind: 'github-check',
      dedupe_key: `${runIds[0]}:0`,
      run_id: runIds[0],
      name: 'proofmark',
      head: sha('1'),
      state: 'due',
    },
    {
      kind: 'github-check',
      dedupe_key: `${runIds[0]}:1`,
      run_id: runIds[0],
      name: 'proofmark / Checks',
      head: sha('1'),
      state: 'due',
    },
  ]);
  expect(rows.filter((row) => row.kind === 'github-comment')).toMatchObject([
    { dedupe_key: 'github.com/77#12:pr', run_id: runIds[1] },
  ]);
});

it('supersedes the active runs of older heads of the pull request', async () => {
  const old = await startRun(
    portsOf(ledger),
    job,
    withSuite(suiteFile({ name: 'Heads' }), { trigger: { ...trigger, headSha: sha('3') } }),
  );
  await startRun(
    portsOf(ledger),
    job,
    withSuite(suiteFile({ name: 'Heads' }), { trigger: { ...trigger, headSha: sha('4') } }),
  );
  const [run] = await ledger.query(
    'select u.status, u.conclusion, r.failure_reason, r.skipped_cases from runs u join test_suite_runs r on r.run_id = u.id where u.id = $1',
    [old.ok ? old.runId : ''],
  );
  expect(run).toEqual({
    status: 'cancelled',
    conclusion: 'cancelled',
    failure_reason: expect.stringMatching(/^Superseded by [0-9a-f]{7}$/),
    skipped_cases: 3,
  });
  const [state] = await ledger.query('select head_sha from pull_request_states where tenant_id = $1', [acme.id]);
  expect(state).toEqual({ head_sha: sha('4') });
});

it('lets a pull request add cases but change none that the base branch has stored, and no other branch either', async () => {
  const scopes = new Set(['runs:write', 'baseline:write'] as const);
  const push = { ...job, scopes, claims: { ...claims, event: 'push', ref: 'refs/heads/main', sha: sha('e') } };
  await startRun(portsOf(ledger), push, withSuite(suiteFile({ name: 'Stored', cases: 2 }), { trigger }));
  const proposed = suiteFile({ name: 'Stored', cases: 3 }).replace('question 1', 'an easier question');
  const moved = await startRun(portsOf(ledger), job, withSuite(`# one line more\n${proposed}`, { trigger }));
  const lines = await ledger.query(
    `select case_name, line from ${leases} l where run_id = $1 and repetition = 1 and variant = $2 order by 1`,
    [moved.ok ? moved.runId : '', 'candidate'],
  );
  expect(lines.map(({ line }) => line)).toEqual([10, 13, 16]);
  const stored = () =>
    ledger.query(
      `select c.name, c.question, c.line from test_cases c join agent_test_suites s on s.id = c.suite_id
       where s.name = 'Stored' and c.deleted_at is null order by c.sort_order`,
    );
  expect(await stored()).toEqual([
    { name: 'case 1', question: 'question 1', line: 9 },
    { name: 'case 2', question: 'question 2', line: 12 },
    { name: 'case 3', question: 'question 3', line: 16 },
  ]);
  const feature = { ...push, claims: { ...push.claims, ref: 'refs/heads/feature' } };
  const fewer = () => withSuite(suiteFile({ name: 'Stored', cases: 1 }), { trigger });
  await startRun(portsOf(ledger), feature, fewer());
  expect(await stored()).toHaveLength(3);
  await startRun(portsOf(ledger), push, fewer());
  expect(await stored()).toMatchObject([{ name: 'case 1' }]);
});
