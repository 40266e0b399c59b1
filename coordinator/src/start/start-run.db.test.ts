import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { connect } from '../database/connect.ts';
import { cancelRun } from '../ledger/cancel-run.ts';
import {
  anInput,
  begin,
  given,
  leases,
  miscounted,
  newTenant,
  openStory,
  portsOf,
  suiteFile,
} from '../story.fixture.ts';
import { startRun } from './start-run.ts';

const { ledger, tenant } = await openStory();

const path = 'evals/a.suite.yaml';
const _sha = (letter: string) => letter.repeat(40);
const withSuite = (text: string, more: Parameters<typeof anInput>[0] = {}) =>
  anInput({ files: [{ path, text }], suitePaths: [path], ...more });

it('stores the run with all its test runs, queued and unpublished (S2-47)', async () => {
  const runId = await begin(ledger, tenant, withSuite(suiteFile({ cases: 3, repetitions: 2 })));
  const [run] = await ledger.query('select status, open_suite_runs, triggered_by, is_base from runs where id = $1', [
    runId,
  ]);
  expect(run).toEqual({ status: 'pending', open_suite_runs: 1, triggered_by: 'api', is_base: false });
  const queued = await ledger.query(
    `select case_name, repetition, state, attempt, published_at, work -> 'case' ->> 'input' as input
     from ${leases} l where run_id = $1 order by repetition, sort_order`,
    [runId],
  );
  expect(queued).toHaveLength(6);
  expect(queued[0]).toEqual({
    case_name: 'case 1',
    repetition: 1,
    state: 'queued',
    attempt: 0,
    published_at: null,
    input: 'question 1',
  });
  expect(await ledger.query('select total_cases from test_suite_runs where run_id = $1', [runId])).toEqual([
    { total_cases: 6 },
  ]);
  expect(await miscounted(ledger)).toEqual([]);
});

it('keeps the files of a run once per content, and the whole agent', async () => {
  const text = suiteFile({ name: 'Kept', cases: 1 });
  const first = await begin(ledger, tenant, withSuite(text));
  const second = await begin(ledger, tenant, withSuite(text));
  const files = await ledger.query(
    `select f.run_id, f.path, d.text from run_files f join definition_files d using (tenant_id, content_hash) where f.run_id = any($1)`,
    [[first, second]],
  );
  expect(files.map((file) => [file.path, file.text])).toEqual([
    [path, text],
    [path, text],
  ]);
  expect(await ledger.query('select count(*)::int as count from definition_files where text = $1', [text])).toEqual([
    { count: 1 },
  ]);
  const snapshots = await ledger.query(
    `select distinct s.definition ->> 'instructions' as instructions from test_suite_runs r
     join agent_snapshots s on s.id = r.agent_snapshot_id where r.run_id = any($1)`,
    [[first, second]],
  );
  expect(snapshots).toEqual([{ instructions: 'Be kind.' }]);
});

it('writes a skipped case and a case that cannot be resolved straight into the results (C33, S2-31)', async () => {
  const text = `${suiteFile({ name: 'Decided', cases: 1 })}  - name: a draft
    input: hello
    status: draft
    expected_behavior: { checks: [ { type: contains_phrases, phrases: [yes] } ] }
`;
  const runId = await begin(ledger, tenant, withSuite(text, { selection: { cases: ['a draft', 'case 1'] } }));
  const rows = await ledger.query(
    'select c.case_name, c.status, c.skip_reason from test_case_results c join test_suite_runs r on r.id = c.run_id where r.run_id = $1',
    [runId],
  );
  expect(rows).toEqual([{ case_name: 'a draft', status: 'skipped', skip_reason: 'draft' }]);
  const [suiteRun] = await ledger.query(
    'select status, total_cases, skipped_cases from test_suite_runs where run_id = $1',
    [runId],
  );
  expect(suiteRun).toEqual({ status: 'running', total_cases: 2, skipped_cases: 1 });
  expect(await miscounted(ledger)).toEqual([]);
});

it('ends a suite run at once when nothing of it has to be run, and leaves the verdict as a job', async () => {
  const text = suiteFile({ name: 'All drafts', cases: 1 }).replace(
    '    input: question 1',
    '    input: question 1\n    status: draft',
  );
  const runId = await begin(ledger, tenant, withSuite(text, { selection: { cases: ['case 1'] } }));
  const [row] = await ledger.query(
    `select r.status, r.skipped_cases, u.open_suite_runs, o.kind from test_suite_runs r join runs u on u.id = r.run_id
     join outbox o on o.suite_run_id = r.id where r.run_id = $1`,
    [runId],
  );
  expect(row).toEqual({ status: 'completed', skipped_cases: 1, open_suite_runs: 0, kind: 'finish-suite-run' });
});

it('refuses invalid definitions with every problem at its line, and stores nothing', async () => {
  const broken = suiteFile({ name: 'Broken' }).replace('type: contains_phrases', 'type: contains_frases');
  const answer = await startRun(portsOf(ledger), tenant.caller, withSuite(broken, { idempotencyKey: 'broken' }));
  expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_DEFINITIONS' } });
  const problems = !answer.ok && 'problems' in answer.error ? answer.error.problems : [];
  expect(problems[0]).toMatchObject({ file: path, severity: 'error' });
  expect(await ledger.query(`select 1 from runs where idempotency_key = 'broken'`)).toEqual([]);
});

it('refuses a selection that means nothing as invalid input', async () => {
  const answer = await startRun(portsOf(ledger), tenant.caller, anInput({ selection: { suites: ['Suport'] } }));
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'INVALID_INPUT', problems: [{ path: 'selection.suites' }] },
  });
});

it('refuses a token that may not start runs', async () => {
  const reader: Caller = { ...tenant.caller, scopes: new Set(['runs:read']) };
  expect(await startRun(portsOf(ledger), reader, anInput())).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
});

describe('idempotency', () => {
  it('gives one run to 20 parallel calls on two replicas (P8, G10)', async () => {
    const second = connect({
      PROOFMARK_APP_DATABASE_URL: ledger.appUrl,
      PROOFMARK_WORKER_DATABASE_URL: ledger.workerUrl,
      PROOFMARK_DATABASE_POOL: 10,
    });
    try {
      const input = withSuite(suiteFile({ name: 'Parallel', cases: 5 }));
      const ports = [portsOf(ledger), { ...portsOf(ledger), database: second }];
      const calls = Array.from({ length: 20 }, (_, index) => startRun(given(ports[index % 2]), tenant.caller, input));
      const runs = (await Promise.all(calls)).flatMap((answer) => (answer.ok ? [answer] : []));
      expect(runs).toHaveLength(20);
      expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
      expect(runs.filter(({ created }) => created)).toHaveLength(1);
      const [stored] = await ledger.query(
        `select (select count(*)::int from runs where idempotency_key = $1) as runs,
           (select count(*)::int from ${leases} l where run_id = $2) as test_runs`,
        [input.idempotencyKey, given(runs[0]).runId],
      );
      expect(stored).toEqual({ runs: 1, test_runs: 5 });
    } finally {
      await second.close();
    }
  });

  it('refuses the same key for something else, and names the run that has it', async () => {
    const input = withSuite(suiteFile({ name: 'Conflict', cases: 1 }));
    const runId = await begin(ledger, tenant, input);
    const other = await startRun(portsOf(ledger), tenant.caller, { ...input, notes: 'not the same' });
    expect(other).toEqual({ ok: false, error: { code: 'IDEMPOTENCY_CONFLICT', runId } });
  });

  it('keeps the keys of tenants apart', async () => {
    const other = await newTenant(ledger);
    const input = withSuite(suiteFile({ name: 'Apart', cases: 1 }));
    expect(await begin(ledger, other, input)).not.toBe(await begin(ledger, tenant, input));
  });

  it('lets many runs of one repository start at the same time', async () => {
    const starts = Array.from({ length: 8 }, (_, index) =>
      begin(ledger, tenant, withSuite(suiteFile({ name: 'Crowd', cases: 10 + index }))),
    );
    expect(new Set(await Promise.all(starts)).size).toBe(8);
    expect(await miscounted(ledger)).toEqual([]);
  });
});

describe('a tenant with too much open', () => {
  it('has a run refused with a hint when to try again, and nothing of it is stored; others are not affected', async () => {
    const busy = await newTenant(ledger);
    const ports = { ...portsOf(ledger), mostOpenTestRuns: 10 };
    const six = () => withSuite(suiteFile({ name: 'Six', cases: 6 }));
    const first = await startRun(ports, busy.caller, six());
    expect(first).toMatchObject({ ok: true });

    const input = six();
    expect(await startRun(ports, busy.caller, input)).toEqual({
      ok: false,
      error: {
        code: 'RATE_LIMITED',
        message:
          '6 test runs are open and this run has 6: more than 10 at a time are not taken. Try again when some have ended.',
        retryAfterMs: 30_000,
      },
    });
    expect(await ledger.query('select id from runs where tenant_id = $1', [busy.id])).toHaveLength(1);
    expect(await startRun(ports, (await newTenant(ledger)).caller, six())).toMatchObject({ ok: true });

    if (first.ok) await cancelRun(ledger.database, busy.caller, first.runId);
    expect(await startRun(ports, busy.caller, input)).toMatchObject({ ok: true, created: true });
    expect(await startRun({ ...ports, mostOpenTestRuns: 1 }, busy.caller, input)).toMatchObject({ created: false });
  });
});

it.each([
  ['an idempotency key with a line break', { idempotencyKey: 'a\nb' }],
  ['no file', { files: [] }],
  ['a path out of the repository', { files: [{ path: '../secret', text: '' }] }],
  ['a NUL in a file', { files: [{ path, text: 'a\0' }] }],
  ['an unknown key', { unexpected: true }],
])('refuses %s before anything is looked up (G9)', (_what, change) => {
  const input = {
    idempotencyKey: 'k',
    trigger: { triggeredBy: 'api' },
    files: [{ path, text: '' }],
    suitePaths: [path],
    ...change,
  };
  expect(StartRunInput.safeParse(input).success).toBe(false);
});

describe('an agent that is a program (M13)', () => {
  const program = 'driver: { type: command, command: [node, agent.mjs] }';
  const inline = suiteFile({ name: 'Program' }).replace(/driver: .*/, program);
  const named = inline
    .replace('name: Program', 'name: Other')
    .replace(/agent:\n(?: {2}.*\n)+/, 'agent: ../own.agent.yaml\n');
  const files = [
    { path, text: inline },
    { path: 'evals/b.suite.yaml', text: named },
    { path: 'own.agent.yaml', text: 'name: Own\ninstructions: x\ndriver: { type: module, file: own.ts }\n' },
    { path: 'own.ts', text: 'export default () => "yes";\n' },
  ];
  const input = (more: Parameters<typeof anInput>[0] = {}) =>
    anInput({ files, suitePaths: [path, 'evals/b.suite.yaml'], ...more });
  const pullRequest = { trigger: { triggeredBy: 'ci' as const, event: 'pull_request', isFork: true } };
  const why = 'it runs where its repository is, and no coordinator starts it';

  it('is refused before anything is stored, with every file that has one', async () => {
    const before = await ledger.query('select count(*)::int as runs from runs');
    const answer = await startRun(portsOf(ledger), tenant.caller, input());
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_DEFINITIONS',
        problems: [
          { file: path, path: 'agent.driver.type', message: `The agent 'Program agent' is a command: ${why}` },
          { file: 'own.agent.yaml', path: 'driver.type', message: `The agent 'Own' is code of the repository: ${why}` },
        ],
      },
    });
    expect(await ledger.query('select count(*)::int as runs from runs')).toEqual(before);
  });

  it('is refused as a check and as a metric as well, by a sentence that names the way that is left', async () => {
    const judging = suiteFile({ name: 'Judging' }).replace(
      /checks: \[/,
      'checks: [{ type: not, check: { type: command, command: [python3, judge.py] } }, ',
    );
    const measuring = `${suiteFile({ name: 'Measuring' })}evaluations: { metrics: [{ metric: own, type: command, command: [judge] }] }\n`;
    const hint = expect.stringContaining('`type: http`');
    const judged = {
      files: [
        { path, text: judging },
        { path: 'evals/b.suite.yaml', text: measuring },
      ],
      suitePaths: [path, 'evals/b.suite.yaml'],
    };
    const answer = await startRun(portsOf(ledger), tenant.caller, anInput(judged));
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_DEFINITIONS',
        problems: [
          {
            file: path,
            path: 'expected_behavior.checks.0.check',
            message: expect.stringContaining('is code (type: command)'),
            hint,
          },
          { path: 'evaluations.metrics.0', message: expect.stringContaining("The metric 'own' is code"), hint },
        ],
      },
    });
    const allowing = { ...portsOf(ledger), allowsPrograms: true };
    const fork = await startRun(allowing, tenant.caller, anInput({ ...judged, ...pullRequest }));
    const ofFork = expect.stringMatching(/is code \(type: command\): one that comes from a fork is never started/);
    expect(fork).toMatchObject({ ok: false, error: { problems: [{ message: ofFork }, { message: ofFork }] } });
    expect(await startRun(allowing, tenant.caller, anInput(judged))).toMatchObject({ ok: true });
  });

  it('stops nothing where its suite is not asked for', async () => {
    const both = [...files, { path: 'evals/c.suite.yaml', text: suiteFile({ name: 'Scripted' }) }];
    const selection = { suites: ['Scripted'] };
    const started = await startRun(
      portsOf(ledger),
      tenant.caller,
      input({ files: both, suitePaths: [path, 'evals/c.suite.yaml'], selection }),
    );
    expect(started).toMatchObject({ ok: true });
  });

  it('is taken where the operator allows programs, but not from a fork', async () => {
    const ports = { ...portsOf(ledger), allowsPrograms: true };
    expect(await startRun(ports, tenant.caller, input())).toMatchObject({ ok: true });
    expect(await startRun(ports, tenant.caller, input(pullRequest))).toMatchObject({
      ok: false,
      error: { problems: [{ message: expect.stringContaining('comes from a fork') }, { file: 'own.agent.yaml' }] },
    });
  });
});
