import { describe, expect, it } from 'vitest';
import { finishSuiteRun } from '../judging/finish-suite-run.ts';
import { recordResults } from '../ledger/record-results.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  newRepository,
  newSession,
  newTenant,
  ownLedger,
  resultOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { housekeeping } from './housekeeping.ts';
import { retention } from './retention.ts';

const ledger = await ownLedger();

type Options = Parameters<typeof retention>[0];
const going = new AbortController().signal;

/** A replica with its own log. */
function replica(variables: Options['variables'] = {}) {
  const lines: { facts: Record<string, unknown>; text: string }[] = [];
  const tell = (facts: object, text: string) => void lines.push({ facts: { ...facts }, text });
  const loop = retention({ database: ledger.database, variables, log: { info: tell, warn: tell } });
  const told = (text: string) => lines.filter((line) => line.text === text).map(({ facts }) => facts);
  return { run: () => loop.run(going), lines: told };
}

/** A tenant that exists for years, so that its first removal is due. */
async function oldTenant(): Promise<Tenant> {
  const tenant = await newTenant(ledger);
  await ledger.query(`update tenants set created_at = now() - interval '3 years' where id = $1`, [tenant.id]);
  return tenant;
}

/** The removals of all tenants of this file so far have been done. */
const settle = () => replica().run();

async function endedRun(tenant: Tenant, input = anInput()): Promise<string> {
  const runId = await begin(ledger, tenant, input);
  await recordResults(
    ledger.database,
    (await claimAll(ledger, runId, await newSession(ledger))).map((leased) => resultOf(leased)),
  );
  for (const { id } of await ledger.query<{ id: string }>('select id from test_suite_runs where run_id = $1', [runId]))
    await finishSuiteRun(ledger.database, { tenantId: tenant.id, suiteRunId: id });
  return runId;
}

async function age(runId: string, days: number): Promise<void> {
  await ledger.query(
    `update test_suite_runs set created_at = now() - $2 * interval '1 day', completed_at = now() - $2 * interval '1 day' where run_id = $1`,
    [runId, days],
  );
  await ledger.query(
    `update runs set created_at = now() - $2 * interval '1 day', completed_at = now() - $2 * interval '1 day' where id = $1`,
    [runId, days],
  );
}

const runsOf = async (tenant: Tenant) =>
  (await ledger.query<{ id: string }>('select id from runs where tenant_id = $1 order by created_at', [tenant.id])).map(
    ({ id }) => id,
  );
const count = async (table: string, tenant: Tenant) =>
  given(
    (await ledger.query<{ n: number }>(`select count(*)::int as n from ${table} where tenant_id = $1`, [tenant.id]))[0],
  ).n;
const keep = (tenant: Tenant, key: string, value: string) =>
  ledger.query(
    `insert into system_settings (tenant_id, key, value) values ($1, $2, $3)
     on conflict (tenant_id, key) do update set value = excluded.value`,
    [tenant.id, `test_suites.retention_${key}`, value],
  );

it('a tenant whose removal fails keeps neither its other steps nor other tenants from theirs, and is taken again', async () => {
  await settle();
  const broken = await oldTenant();
  const healthy = await oldTenant();
  const runs = new Map<Tenant, string>();
  for (const tenant of [broken, healthy]) {
    await keep(tenant, 'runs', '1');
    const old = await endedRun(tenant);
    await age(old, 100);
    runs.set(tenant, old);
    await age(await endedRun(tenant), 90);
  }
  await ledger.query(`
    create function refuse_to_go() returns trigger language plpgsql as $$
      begin raise exception 'no'; end $$`);
  await ledger.query(`create trigger refuse before delete on test_suite_runs for each row
    when (old.tenant_id = '${broken.id}') execute function refuse_to_go()`);
  const first = replica();
  expect(await first.run()).toMatchObject({ passes: 2, failed: 1 });
  expect(first.lines('A step of the removal failed and will be repeated')).toMatchObject([
    { tenantId: broken.id, step: 'suiteRuns' },
  ]);
  expect(await runsOf(healthy)).not.toContain(runs.get(healthy));
  expect(await runsOf(broken)).toContain(runs.get(broken));

  await ledger.query('drop trigger refuse on test_suite_runs');
  expect(await replica().run()).toMatchObject({ passes: 0 });
  await ledger.query(`update retention_passes set taken_at = now() - interval '31 minutes' where tenant_id = $1`, [
    broken.id,
  ]);
  expect(await replica().run()).toMatchObject({ passes: 1, failed: 0 });
  expect(await runsOf(broken)).not.toContain(runs.get(broken));
});

describe('the removal of old suite runs', () => {
  it('keeps the last 30 days and the newest of each suite, and removes the rest with all that belongs to it (S2-91, S2-92, S2-94)', async () => {
    const tenant = await oldTenant();
    await keep(tenant, 'runs', '2');
    const [oldest, old, ...others] = await Promise.all([70, 60, 50, 40, 20].map(() => endedRun(tenant)));
    const all = [given(oldest), given(old), ...others];
    for (const [index, days] of [70, 60, 50, 40, 20].entries()) await age(given(all[index]), days);

    const one = replica();
    await one.run();

    // 20 days old, and 40 as the second newest.
    expect(await runsOf(tenant)).toEqual(all.slice(3));
    expect(await count('test_suite_runs', tenant)).toBe(2);
    expect(await count('test_case_results', tenant)).toBe(6);
    expect(await count('planned_test_runs', tenant)).toBe(6);
    expect(await count('chunks', tenant)).toBe(6);
    expect(await count('run_files', tenant)).toBe(2);
    expect(one.lines('Old suite runs were removed')).toMatchObject([
      {
        tenantId: tenant.id,
        cleanupTime: '02:00',
        keepDays: 30,
        keepRuns: 2,
        removed: { suiteRuns: 3, results: 9, runs: 3, files: 0, snapshots: 0 },
      },
    ]);
  });

  it('frees idempotency keys with their runs, and removes texts and agents that no run has any more (S2-94)', async () => {
    const tenant = await oldTenant();
    await keep(tenant, 'runs', '1');
    const file = (instructions: string) => [{ path: 'evals/support.suite.yaml', text: suiteFile({ instructions }) }];
    const first = anInput({ files: file('Be brief.') });
    const gone = await endedRun(tenant, first);
    await age(gone, 90);
    const stays = await endedRun(tenant, anInput({ files: file('Be kind.') }));

    await settle();

    expect(await runsOf(tenant)).toEqual([stays]);
    expect(await count('definition_files', tenant)).toBe(1);
    expect(await count('agent_snapshots', tenant)).toBe(1);
    expect(await begin(ledger, tenant, first)).not.toBe(gone);
  });

  it('keeps the run of an alert until what it tells of is over, so that its end is told too', async () => {
    const tenant = await oldTenant();
    await keep(tenant, 'runs', '1');
    const ages = [90, 80, 70, 60, 0];
    const all = await Promise.all(ages.map(() => endedRun(tenant)));
    for (const [index, days] of ages.entries()) await age(given(all[index]), days);
    const [going, overLately, overLongAgo, passing, newest] = all;
    const alert = (runId: string | undefined, kind: string, ended: string | null) =>
      ledger.query(
        `insert into alerts (tenant_id, kind, run_id, dedupe_key, ended_at) values ($1, $2, $3::uuid, $3::uuid::text, now() - $4::interval)`,
        [tenant.id, kind, runId, ended],
      );
    await alert(going, 'regression', null);
    await alert(overLately, 'nothing_executed', '1 hour');
    await alert(overLongAgo, 'regression', '8 days');
    await alert(passing, 'budget', null);

    await settle();

    expect(await runsOf(tenant)).toEqual([going, overLately, newest]);
    expect([await count('alerts', tenant), await count('test_suite_runs', tenant)]).toEqual([2, 1]);
  });

  it('leaves alone what is still running, and what a run that stays was compared with (S2-94)', async () => {
    const tenant = await oldTenant();
    await newRepository(ledger, tenant);
    await keep(tenant, 'runs', '1');
    await keep(tenant, 'days', '10');
    const base = (sha: string) => ({
      triggeredBy: 'ci' as const,
      event: 'push',
      host: 'github.com',
      repositoryExternalId: '77',
      ref: 'refs/heads/main',
      headSha: sha.repeat(40),
    });
    const start = (trigger: ReturnType<typeof base>) => endedRun(tenant, anInput({ trigger }));
    const forgotten = await start(base('a'));
    const compared = await start(base('b'));
    const newest = await start(base('c'));
    const waiting = await begin(ledger, tenant);
    for (const runId of [forgotten, compared, waiting, newest]) await age(runId, 20);
    const [{ id } = { id: '' }] = await ledger.query<{ id: string }>(
      'select id from test_suite_runs where run_id = $1',
      [compared],
    );
    const recent = await endedRun(tenant);
    await ledger.query('update test_suite_runs set baseline_suite_run_id = $2 where run_id = $1', [recent, id]);

    await settle();

    expect(new Set(await runsOf(tenant))).toEqual(new Set([compared, newest, waiting, recent]));
  });

  it('is done once by two replicas that come at the same moment, and not again before the next day (S2-96)', async () => {
    const tenant = await oldTenant();
    await keep(tenant, 'runs', '1');
    await age(await endedRun(tenant), 90);
    await endedRun(tenant);

    const [one, other] = [replica(), replica()];
    await Promise.all([one.run(), other.run()]);
    await one.run();

    const lines = [...one.lines('Old suite runs were removed'), ...other.lines('Old suite runs were removed')];
    expect(lines.filter(({ tenantId }) => tenantId === tenant.id)).toHaveLength(1);
    expect(await count('runs', tenant)).toBe(1);
    expect(
      await ledger.query('select finished_at is not null as done, removed from retention_passes where tenant_id = $1', [
        tenant.id,
      ]),
    ).toMatchObject([{ done: true, removed: { suiteRuns: 1, runs: 1 } }]);
  });

  it('waits for the time that is set, and follows a change of it without a restart (S2-95, S2-98)', async () => {
    const tenant = await newTenant(ledger);
    const [{ past, coming } = { past: '', coming: '' }] = await ledger.query<{ past: string; coming: string }>(
      `select to_char(now() at time zone 'utc' - interval '1 hour', 'HH24:MI') as past,
         to_char(now() at time zone 'utc' + interval '1 hour', 'HH24:MI') as coming`,
    );
    await ledger.query(`update tenants set created_at = now() - interval '2 hours' where id = $1`, [tenant.id]);
    const one = replica({ TEST_SUITES_RETENTION_CLEANUP_TIME: coming });
    await one.run();
    expect(await count('retention_passes', tenant)).toBe(0);

    await keep(tenant, 'cleanup_time', past);
    await one.run();
    expect(await count('retention_passes', tenant)).toBe(1);
  });

  it('keeps what the defaults keep where the environment makes no sense, and says so (S2-104)', async () => {
    const tenant = await oldTenant();
    const runs = await Promise.all([endedRun(tenant), endedRun(tenant)]);
    for (const runId of runs) await age(runId, 90);

    const one = replica({ TEST_SUITES_RETENTION_DAYS: 'abc', TEST_SUITES_RETENTION_RUNS: '-1' });
    await one.run();

    expect(await count('runs', tenant)).toBe(2);
    const warnings = one.lines('Old suite runs were removed');
    expect(warnings.find(({ tenantId }) => tenantId === tenant.id)).toMatchObject({ keepDays: 30, keepRuns: 30 });
    expect(
      one.lines('TEST_SUITES_RETENTION_DAYS is "abc": must be a whole number from 1 to 36500. 30 counts instead')
        .length,
    ).toBeGreaterThan(0);
  });
});

describe('housekeeping', () => {
  it('removes dead letters after 30 days, ended sessions, deliveries and replicas after 7, and token ids when they expire (S2-94)', async () => {
    await ledger.query(`
      insert into dead_letters (subject, reason, payload, created_at)
      values ('old', 'r', 'p', now() - interval '31 days'), ('young', 'r', 'p', now() - interval '29 days')`);
    await ledger.query(`
      insert into runner_sessions (runner_id, pool, version, slots, state, lease_until)
      values ('gone', 'p', '1', 1, 'closed', now() - interval '8 days'), ('recent', 'p', '1', 1, 'expired', now() - interval '6 days'),
        ('open', 'p', '1', 1, 'open', now() - interval '8 days')`);
    await ledger.query(`
      insert into used_token_ids (jti, expires_at) values ('old', now() - interval '1 second'), ('young', now() + interval '1 minute')`);
    await ledger.query(`
      insert into webhook_deliveries (delivery_id, received_at)
      values ('old', now() - interval '8 days'), ('young', now() - interval '6 days')`);

    const counts = await housekeeping(ledger.database, { auditDays: 400 }).run(going);

    expect(counts).toMatchObject({ deadLetters: 1, sessions: 1, tokenIds: 1, deliveries: 1 });
    expect(await ledger.query('select subject from dead_letters')).toEqual([{ subject: 'young' }]);
    expect(await ledger.query(`select runner_id from runner_sessions where pool = 'p' order by 1`)).toEqual([
      { runner_id: 'open' },
      { runner_id: 'recent' },
    ]);
    expect(await ledger.query('select jti from used_token_ids')).toEqual([{ jti: 'young' }]);
    expect(await ledger.query('select delivery_id from webhook_deliveries')).toEqual([{ delivery_id: 'young' }]);
  });
});
