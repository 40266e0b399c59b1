import { randomUUID } from 'node:crypto';
import type { Selection } from '@proofmark/contracts/start-run-input';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { type FinishedJob, finishSuiteRun } from '../judging/finish-suite-run.ts';
import { recordResults } from '../ledger/record-results.ts';
import { rerunRun } from '../start/rerun-run.ts';
import { startScheduledRun } from '../start/start-scheduled-run.ts';
import { StartStoredRunInput, startStoredRun } from '../start/start-stored-run.ts';
import {
  anInput,
  anOutcome,
  begin,
  claimAll,
  given,
  inEachTest,
  leases,
  newRepository,
  newSession,
  portsOf,
  resultOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { startDueSuites } from './scheduler.ts';

// Every pass looks at all suites there are: each test has its own ledger.
let ledger: Ledger;
let tenant: Tenant;
inEachTest((story) => {
  ({ ledger, tenant } = story);
});

const path = 'evals/support.suite.yaml';
const files = (sketch: Parameters<typeof suiteFile>[0]) => [{ path, text: suiteFile(sketch) }];
const hourly = 'schedule_type: hourly';

/** A replica that tells what it did. */
function replica(
  start = (suite: Parameters<typeof startScheduledRun>[1]) => startScheduledRun(portsOf(ledger), suite),
) {
  const told: string[] = [];
  const tell = (_facts: object, text: string) => void told.push(text);
  const log = { info: tell, warn: tell };
  const options = { database: ledger.database, start, onStarted: () => undefined, log };
  return { told, pass: (at: string) => startDueSuites(options, Date.parse(at)) };
}

interface RunRow {
  id: string;
  status: string;
  suites: string[];
  users: number;
  notes: string | null;
}

/** The runs that schedules have started, oldest first. */
const scheduled = () =>
  ledger.query<RunRow>(`
    select r.id, r.status, r.notes, array(select s.suite_name from test_suite_runs s where s.run_id = r.id) as suites,
      (select count(s.triggered_by_user_id)::int from test_suite_runs s where s.run_id = r.id and s.triggered_by = 'schedule') as users
    from runs r where r.triggered_by = 'schedule' order by r.created_at`);

async function end(runId: string, passes: (name: string) => boolean = () => true): Promise<FinishedJob['alerts']> {
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const names = new Map(
    (
      await ledger.query<{ id: string; name: string }>(
        `select test_run_id as id, case_name as name from ${leases} l where run_id = $1`,
        [runId],
      )
    ).map(({ id, name }) => [id, name]),
  );
  await recordResults(
    ledger.database,
    leased.map((one) =>
      resultOf(one, anOutcome({ status: passes(given(names.get(one.testRunId))) ? 'passed' : 'failed' })),
    ),
  );
  const alerts: FinishedJob['alerts'][number][] = [];
  for (const { id } of await ledger.query<{ id: string }>('select id from test_suite_runs where run_id = $1', [runId]))
    alerts.push(...(await finishSuiteRun(ledger.database, { tenantId: tenant.id, suiteRunId: id })).alerts);
  return alerts;
}

describe('suites that run by themselves', () => {
  it('start once in each hour, without a user (S2-46, S2-105, S2-108)', async () => {
    await begin(ledger, tenant, anInput({ files: files({ extra: hourly }) }));
    const one = replica();
    for (const at of ['2099-01-01T10:00:03Z', '2099-01-01T10:30:00Z']) await one.pass(at);
    await end(given((await scheduled())[0]).id);
    await one.pass('2099-01-01T11:00:00Z');
    expect(await scheduled()).toMatchObject([
      { status: 'completed', suites: ['Support'], users: 0 },
      { status: 'pending', suites: ['Support'], users: 0 },
    ]);
    expect(
      await ledger.query(
        `select state, window_start, due_at, run_id is not null as "hasRun" from scheduled_runs order by 2`,
      ),
    ).toMatchObject([
      { state: 'started', window_start: new Date('2099-01-01T10:00:00Z'), hasRun: true },
      { state: 'started', window_start: new Date('2099-01-01T11:00:00Z'), hasRun: true },
    ]);
  });

  it('start at their time of the day, and on their day of the week (S2-106, S2-107)', async () => {
    const at = (name: string, extra: string) => ({
      path: `evals/${name}.suite.yaml`,
      text: suiteFile({ name, cases: 1, extra }),
    });
    const both = [
      at('Daily', 'schedule_type: daily\nschedule_time: "04:15"'),
      at('Weekly', 'schedule_type: weekly\nschedule_time: "04:15"\nschedule_day_of_week: 6'),
    ];
    await begin(ledger, tenant, anInput({ files: both, suitePaths: both.map((file) => file.path) }));
    const one = replica();
    // The third of January 2099 is a Saturday.
    for (const time of ['02T04:14:59', '02T04:15:00', '02T23:00:00', '03T04:14:59']) await one.pass(`2099-01-${time}Z`);
    expect((await scheduled()).map(({ suites }) => suites)).toEqual([['Daily']]);
    await end(given((await scheduled())[0]).id);
    await one.pass('2099-01-03T04:15:02Z');
    expect((await scheduled()).flatMap(({ suites }) => suites).toSorted()).toEqual(['Daily', 'Daily', 'Weekly']);
  });

  it('start by a cron expression in their time zone', async () => {
    const cron = 'schedule_cron: "30 4 * * 1-5"\nschedule_time_zone: Europe/Berlin';
    await begin(ledger, tenant, anInput({ files: files({ extra: cron }) }));
    const one = replica();
    // The first of January 2099 is a Thursday; Berlin is an hour ahead.
    await one.pass('2099-01-01T03:30:00Z');
    await end(given((await scheduled())[0]).id);
    for (const at of ['02T03:29:59', '02T03:30:00', '02T12:00:00', '03T03:30:00', '04T03:30:00'])
      await one.pass(`2099-01-${at}Z`);
    expect(await ledger.query('select due_at from scheduled_runs order by 1')).toEqual([
      { due_at: new Date('2099-01-01T03:30:00Z') },
      { due_at: new Date('2099-01-02T03:30:00Z') },
    ]);
    expect(await scheduled()).toHaveLength(2);
  });

  it('run one at a time: the newest time waits behind a run, and those before it say that they were overtaken', async () => {
    await begin(ledger, tenant, anInput({ files: files({ extra: hourly }) }));
    const one = replica();
    const states = () =>
      ledger.query('select state, reason, run_id is not null as ran from scheduled_runs order by window_start');
    await one.pass('2099-01-01T10:00:00Z');
    await one.pass('2099-01-01T11:00:00Z');
    expect(await states()).toMatchObject([{ state: 'started' }, { state: 'waiting', ran: false }]);
    await one.pass('2099-01-01T12:00:00Z');
    expect(await states()).toMatchObject([
      { state: 'started' },
      { state: 'refused', reason: expect.stringMatching(/still under way.*more runners/), ran: false },
      { state: 'waiting', ran: false },
    ]);
    await end(given((await scheduled())[0]).id);
    expect(await one.pass('2099-01-01T12:10:00Z')).toEqual({ started: 1, refused: 0 });
    expect(await states()).toMatchObject([{ state: 'started' }, { state: 'refused' }, { state: 'started', ran: true }]);
    expect(await scheduled()).toHaveLength(2);
  });

  it('are started by one of several replicas, also when they all come at the same moment (S2-108)', async () => {
    await begin(ledger, tenant, anInput({ files: files({ extra: hourly }) }));
    const passes = await Promise.all([1, 2, 3, 4].map(() => replica().pass('2099-01-01T10:00:00Z')));
    expect(passes.reduce((sum, { started }) => sum + started, 0)).toBe(1);
    expect(await scheduled()).toHaveLength(1);
  });

  it('are started by another replica when the first died on the way, still once (S2-108)', async () => {
    await begin(ledger, tenant, anInput({ files: files({ extra: hourly }) }));
    const dying = replica(async (suite) => {
      await startScheduledRun(portsOf(ledger), suite);
      throw new Error('the process ends here');
    });
    expect(await dying.pass('2099-01-01T10:00:00Z')).toEqual({ started: 0, refused: 0 });
    expect(await replica().pass('2099-01-01T10:00:30Z')).toEqual({ started: 0, refused: 0 });
    await ledger.query(`update scheduled_runs set taken_at = now() - interval '2 minutes'`);
    expect(await replica().pass('2099-01-01T10:03:00Z')).toEqual({ started: 1, refused: 0 });
    expect(await scheduled()).toHaveLength(1);
  });

  it('do not start when they are manual, disabled or deleted (S2-13, S2-109)', async () => {
    const suite = (name: string, extra: string) => ({
      path: `evals/${name}.suite.yaml`,
      text: suiteFile({ name, extra }),
    });
    const all = [suite('Manual', ''), suite('Disabled', hourly), suite('Deleted', hourly), suite('Orphan', hourly)];
    await begin(ledger, tenant, anInput({ files: all, suitePaths: all.map((file) => file.path) }));
    await ledger.query(`update agent_test_suites set is_enabled = false where name = 'Disabled'`);
    await ledger.query(`update agent_test_suites set deleted_at = now() where name = 'Deleted'`);
    await ledger.query(`update agents set deleted_at = now() where name = 'Orphan agent'`);
    expect(await replica().pass('2099-01-01T10:00:00Z')).toEqual({ started: 0, refused: 0 });
    expect(await scheduled()).toEqual([]);
  });

  it('say why they did not start, and are not tried again in that window (S2-13)', async () => {
    await begin(ledger, tenant, anInput({ files: files({ extra: hourly }) }));
    await ledger.query('delete from run_files');
    await ledger.query(`update agent_test_suites set definition = definition || '{"test_type": "gone"}'`);
    const one = replica();
    expect(await one.pass('2099-01-01T10:00:00Z')).toEqual({ started: 0, refused: 1 });
    expect(await one.pass('2099-01-01T10:00:10Z')).toEqual({ started: 0, refused: 0 });
    expect(one.told).toEqual(['A suite could not be started by its schedule']);
    expect(await ledger.query('select state, reason from scheduled_runs')).toEqual([
      { state: 'refused', reason: expect.stringContaining('gone') },
    ]);
  });
});

describe('what a schedule runs', () => {
  const push = (branch: string, letter: string) => ({
    triggeredBy: 'ci' as const,
    event: 'push',
    host: 'github.com',
    repositoryExternalId: '77',
    ref: `refs/heads/${branch}`,
    headSha: letter.repeat(40),
  });

  it('is what the base branch last ran, whatever a branch in progress has stored since, and it changes nothing', async () => {
    await newRepository(ledger, tenant);
    const main = files({ extra: hourly, instructions: 'Be kind.' });
    const branch = files({ extra: hourly, instructions: 'Be rude.', cases: 1 });
    await begin(ledger, tenant, anInput({ files: main, trigger: push('main', 'a') }));
    await begin(ledger, tenant, anInput({ files: branch, trigger: push('idea', 'b') }));
    const before = await ledger.query('select * from agent_test_suites');
    await replica().pass('2099-01-01T10:00:00Z');
    const [run] = await scheduled();
    expect(run?.notes).toBe(`Definitions of commit ${'a'.repeat(40)}`);
    expect(
      await ledger.query(
        `select l.case_name as name, l.work -> 'agent' ->> 'instructions' as told from ${leases} l where run_id = $1 order by 1`,
        [run?.id],
      ),
    ).toEqual(['case 1', 'case 2', 'case 3'].map((name) => ({ name, told: 'Be kind.' })));
    expect(await ledger.query('select * from agent_test_suites')).toEqual(before);
    expect(await ledger.query('select count(*)::int as n from outbox where run_id = $1', [run?.id])).toEqual([
      { n: 0 },
    ]);
  });

  it('is the suite as it is stored where no base branch ever ran it', async () => {
    await begin(ledger, tenant, anInput({ files: files({ extra: hourly, instructions: 'Be kind.' }) }));
    await ledger.query(`update agents set definition = definition || '{"instructions": "Be brief."}'`);
    await replica().pass('2099-01-01T10:00:00Z');
    const [run] = await scheduled();
    expect(
      await ledger.query(
        `select distinct work -> 'agent' ->> 'instructions' as told from ${leases} l where run_id = $1`,
        [run?.id],
      ),
    ).toEqual([{ told: 'Be brief.' }]);
  });
});

describe('a suite without a repository', () => {
  it('is started from the files of its last run when what is stored lacks a configuration that it names', async () => {
    const project = 'ai_configurations:\n  desk: { provider: openai, model: scripted }\n';
    const text = suiteFile({ extra: `${hourly}\njudge: { ai_configuration: desk }` });
    const sent = {
      files: [
        { path: 'proofmark.yaml', text: project },
        { path, text },
      ],
      projectPath: 'proofmark.yaml',
    };
    await begin(ledger, tenant, anInput(sent));
    expect(await replica().pass('2099-01-01T10:00:00Z')).toEqual({ started: 1, refused: 0 });
  });
});

describe('the alert of a scheduled suite', () => {
  type Alert = { fired: boolean; dropPoints: number | null; newlyFailing: string[] };
  const verdictOf = async (runId: string) =>
    given(
      (
        await ledger.query<{ alert: Alert; title: string }>(
          `select verdict_detail -> 'alert' as alert, verdict_detail ->> 'title' as title from test_suite_runs where run_id = $1`,
          [runId],
        )
      )[0],
    );

  const pick = async (more: Partial<z.input<typeof StartStoredRunInput>>) => {
    const input = StartStoredRunInput.parse({ idempotencyKey: randomUUID(), ...more });
    const picked = await startStoredRun(portsOf(ledger), tenant.caller, input);
    if (!picked.ok) throw new Error(JSON.stringify(picked.error));
    return picked.runId;
  };

  it('compares with the previous completed run; cancelled and failed runs are passed over (S2-110, S2-12)', async () => {
    const one = replica();
    const next = async (hour: number) => {
      await one.pass(`2099-01-01T${hour}:00:00Z`);
      return given((await scheduled()).at(-1)).id;
    };
    // Started by hand, and still open: it is no run to compare with.
    await begin(
      ledger,
      tenant,
      anInput({ files: files({ cases: 10, extra: `${hourly}\nalert_threshold_percent: 10` }) }),
    );

    const first = await next(10);
    await end(first);
    expect(await verdictOf(first)).toEqual({
      alert: { fired: false, dropPoints: null, newlyFailing: [] },
      title: 'No baseline yet: 10/10 passed',
    });

    for (const [hour, status] of [
      [11, 'cancelled'],
      [12, 'failed'],
    ] as const) {
      const passedOver = await next(hour);
      await end(passedOver, () => false);
      await ledger.query('update test_suite_runs set status = $2 where run_id = $1', [passedOver, status]);
    }

    const worse = await next(13);
    const told = await end(worse, (name) => name !== 'case 7');
    expect(told).toEqual([expect.objectContaining({ runId: worse, dropPoints: 10, newlyFailing: 1 })]);
    expect(await verdictOf(worse)).toEqual({
      alert: { fired: true, dropPoints: 10, newlyFailing: ['case 7'] },
      title: 'Pass rate fell by 10.0 points since the run before: 9/10 passed',
    });

    const same = await next(14);
    expect(await end(same, (name) => name !== 'case 7')).toEqual([]);
    expect(await verdictOf(same)).toEqual({
      alert: { fired: false, dropPoints: 0, newlyFailing: [] },
      title: 'Pass rate as in the run before: 9/10 passed',
    });

    // Someone looks at the failed case alone: that is held against nothing, and nothing is held against it.
    const [seventh] = await ledger.query<{ id: string }>(`select id from test_cases where name = 'case 7'`);
    const alone = await pick({ testCaseId: given(seventh).id });
    await end(alone);
    expect((await verdictOf(alone)).title).toBe('No baseline yet: 1/1 passed');
    const after = await next(15);
    expect(await end(after, (name) => name !== 'case 7')).toEqual([]);
    expect(await verdictOf(after)).toEqual({
      alert: { fired: false, dropPoints: 0, newlyFailing: [] },
      title: 'Pass rate as in the run before: 9/10 passed',
    });
  });

  it('compares a run of some cases with the run before of the same cases', async () => {
    await begin(ledger, tenant, anInput({ files: files({ cases: 4 }) }));
    const [stored] = await ledger.query<{ id: string }>('select id from agent_test_suites');
    const told = async (selection: z.input<typeof Selection>, passes?: (name: string) => boolean) => {
      const runId = await pick({ suiteId: given(stored).id, selection });
      const alerts = await end(runId, passes);
      return { runId, alerts, title: (await verdictOf(runId)).title };
    };
    const cases = ['case 1', 'case 2'];
    expect((await told({ cases })).title).toBe('No baseline yet: 2/2 passed');
    // However they are listed.
    const worse = await told({ cases: ['case 2', 'case 1', 'case 1'] }, (name) => name !== 'case 2');
    expect(worse).toMatchObject({
      alerts: [{ dropPoints: 50, newlyFailing: 1 }],
      title: 'Pass rate fell by 50.0 points since the run before: 1/2 passed',
    });
    expect((await told({ cases, difficulty: 'normal' })).title).toBe('No baseline yet: 2/2 passed');
    expect((await told({ cases: ['case 1'] })).title).toBe('No baseline yet: 1/1 passed');
    expect((await told({})).title).toBe('No baseline yet: 4/4 passed');
    // What ran for diagnosis alone is compared with nothing, on either side.
    const again = await told({ cases });
    expect(again.title).toBe('Pass rate rose by 50.0 points since the run before: 2/2 passed');
    const asked = { runId: worse.runId, idempotencyKey: randomUUID(), notes: null };
    const repeat = await rerunRun(portsOf(ledger), tenant.caller, { ...asked, only: 'failed' });
    if (!repeat.ok) throw new Error(JSON.stringify(repeat.error));
    expect(await end(repeat.runId, () => false)).toEqual([]);
    expect((await verdictOf(repeat.runId)).title).toBe('No baseline yet: 0/1 passed');
    expect((await told({ cases: ['case 2'] })).title).toBe('No baseline yet: 1/1 passed');
  });
});
