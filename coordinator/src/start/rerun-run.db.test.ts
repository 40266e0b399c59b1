import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { cancelRunFor } from '../ledger/cancel-run.ts';
import { planStep } from '../ledger/plan-steps.ts';
import { recordResults } from '../ledger/record-results.ts';
import {
  anInput,
  anOutcome,
  begin,
  claimAll,
  given,
  leases,
  miscounted,
  newRepository,
  newSession,
  newTenant,
  ownLedger,
  portsOf,
  resultOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { lastAsked } from './commit-input.ts';
import { repeatTestRun } from './repeat-test-run.ts';
import { rerunRun } from './rerun-run.ts';
import { startRun } from './start-run.ts';
import { filesInput, wordsOf } from './words-suite.fixture.ts';

const ledger = await ownLedger();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
});

const { storeSuite, mustStart, planned } = wordsOf(
  () => ledger,
  () => tenant,
);

describe('a repeated run', () => {
  const rerun = (runId: string, idempotencyKey = randomUUID()) =>
    rerunRun(portsOf(ledger), tenant.caller, { runId, idempotencyKey, notes: null });

  it('has the values, the definitions and the seeds of the old one although all of them changed (S4-38)', async () => {
    const old = await begin(ledger, tenant, filesInput('at first', { variables: { Size: 1 } }));
    const plan = await planned(old);
    await begin(ledger, tenant, filesInput('later'));
    await ledger.query('update agent_test_suites set deleted_at = now() where tenant_id = $1', [tenant.id]);

    const answer = await rerun(old);

    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(plan[0]).toMatchObject({ word: 'at first', source: 'suite' });
    expect(await planned(answer.runId)).toEqual(plan);
    const rows = await ledger.query(
      `select id, rerun_of, run_seed, is_base, requested, (select array_agg(suite_id order by sort_order) from test_suite_runs where run_id = runs.id) as suites
       from runs where id = any($1) order by created_at`,
      [[old, answer.runId]],
    );
    expect(rows[1]).toEqual({ ...given(rows[0]), id: answer.runId, rerun_of: old });
    const seeds = `select work ->> 'seed' as seed from ${leases} l where run_id = $1 order by sort_order`;
    expect(await ledger.query(seeds, [answer.runId])).toEqual(await ledger.query(seeds, [old]));
    expect(
      await ledger.query('select 1 from agent_test_suites where tenant_id = $1 and deleted_at is null', [tenant.id]),
    ).toEqual([]);
  });

  it('has each case that failed in its own suite, although another suite has a passing one of its name', async () => {
    const files = ['Left', 'Right'].map((name) => ({
      path: `${name}.suite.yaml`,
      text: suiteFile({ name, cases: 2 }),
    }));
    const old = await begin(ledger, tenant, anInput({ files, suitePaths: files.map(({ path }) => path) }));
    const failing = { Left: 'case 1', Right: 'case 2' };
    const leased = await claimAll(ledger, old, await newSession(ledger));
    const named = await ledger.query<{ id: string; suite: keyof typeof failing; name: string }>(
      `select p.test_run_id as id, s.suite_name as suite, p.case_name as name from planned_test_runs p
       join test_suite_runs s on s.id = p.suite_run_id where p.run_id = $1`,
      [old],
    );
    const isFailing = (id: string) => named.some((one) => one.id === id && failing[one.suite] === one.name);
    await recordResults(
      ledger.database,
      leased.map((one) => resultOf(one, anOutcome({ status: isFailing(one.testRunId) ? 'failed' : 'passed' }))),
    );
    const order = { runId: old, idempotencyKey: randomUUID(), notes: null, only: 'failed' as const };
    const answer = await rerunRun(portsOf(ledger), tenant.caller, order);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    const again = await ledger.query(
      `select s.suite_name as suite, p.case_name as name from planned_test_runs p
       join test_suite_runs s on s.id = p.suite_run_id where p.run_id = $1 order by 1, 2`,
      [answer.runId],
    );
    expect(again).toEqual(Object.entries(failing).map(([suite, name]) => ({ suite, name })));
  });

  it('has the cases of a run that is still being queued', async () => {
    const files = [{ path: 'many.suite.yaml', text: suiteFile({ cases: 600 }) }];
    const old = await startRun(portsOf(ledger), tenant.caller, anInput({ files, suitePaths: ['many.suite.yaml'] }));
    if (!old.ok) throw new Error(JSON.stringify(old.error));
    const isQueueing = await ledger.query('select 1 from queue_plans where run_id = $1', [old.runId]);
    expect(isQueueing).toHaveLength(1);
    // Of hidden rows nobody knows by their names any more which case they are.
    await ledger.query('update agent_test_suites set deleted_at = now() where tenant_id = $1', [tenant.id]);

    const answer = await rerun(old.runId);

    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    while ((await planStep(ledger.database)) !== null);
    const casesOf = (runId: string) =>
      ledger.query('select distinct test_case_id from planned_test_runs where run_id = $1 order by 1', [runId]);
    expect(await casesOf(answer.runId)).toHaveLength(600);
    expect(await casesOf(answer.runId)).toEqual(await casesOf(old.runId));
  });

  it('repeats a run of stored definitions, and as often as a compared one', async () => {
    const suiteId = await storeSuite();
    const old = await mustStart({ suiteId, variables: { Word: 'kept', Size: 2 } });
    await ledger.query(`update test_cases set question = 'changed' where tenant_id = $1`, [tenant.id]);
    const answer = await rerun(old);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(await planned(answer.runId)).toEqual(await planned(old));

    const trigger = {
      triggeredBy: 'ci',
      event: 'push',
      repositoryExternalId: '77',
      headSha: 'a'.repeat(40),
      ref: 'refs/heads/main',
    } as const;
    const base = await begin(ledger, tenant, filesInput('base', { trigger, variables: { Size: 1 } }));
    const again = await rerun(base);
    if (!again.ok) throw new Error(JSON.stringify(again.error));
    expect(await planned(again.runId)).toEqual(await planned(base));
    expect(await planned(base)).toHaveLength(6);
    const [row] = await ledger.query(
      'select is_base, head_sha, repository_id is not null as repository from runs where id = $1',
      [again.runId],
    );
    expect(row).toEqual({ is_base: false, head_sha: null, repository: true });
    expect(
      await ledger.query('select 1 from outbox where run_id = $1 and kind <> $2', [again.runId, 'finish-suite-run']),
    ).toEqual([]);
  });

  it('of a newer version is what this one knows of it, and so is what a commit is run with after it', async () => {
    const trigger = {
      triggeredBy: 'ci',
      event: 'push',
      repositoryExternalId: '77',
      headSha: 'a'.repeat(40),
      ref: 'refs/heads/main',
    } as const;
    const asked = { assignments: [{ name: 'Word', text: 'given' }], matrix: [{ name: 'Size', values: [1] }] };
    const old = await begin(ledger, tenant, filesInput('at first', { trigger, ...asked }));
    const stored = async (runId: string) =>
      given(
        (
          await ledger.query<{ requested: object; settings: object; trigger: object }>(
            'select requested, settings, trigger from runs where id = $1',
            [runId],
          )
        )[0],
      );
    const before = await stored(old);
    const newer = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(newer);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).map(([name, one]) => [name, name === 'variables' ? one : newer(one)]);
      return { ...Object.fromEntries(fields), newer: [{ thing: 1 }] };
    };
    await ledger.query('update runs set requested = $2, settings = $3, trigger = $4 where id = $1', [
      old,
      ...[before.requested, before.settings, before.trigger].map((one) => JSON.stringify(newer(one))),
    ]);

    const answer = await rerun(old);

    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(await planned(answer.runId)).toEqual(await planned(old));
    const { requested, settings } = await stored(answer.runId);
    expect({ requested, settings }).toEqual({ requested: before.requested, settings: before.settings });
    const [repository] = await ledger.query<{ id: string }>('select id from repositories where tenant_id = $1', [
      tenant.id,
    ]);
    const enrolled = {
      ...{ tenantId: tenant.id, id: given(repository).id },
      ...{ host: 'github.com', externalId: '77', fullName: 'acme/desk', installationId: null },
    };
    expect({ ...before.requested, settings: before.settings }).toMatchObject(
      await lastAsked(ledger.database, enrolled),
    );
  });

  it('is one run for one key, and nothing for a run of somebody else', async () => {
    const old = await begin(ledger, tenant, filesInput());
    const key = randomUUID();
    const first = await rerun(old, key);
    expect(await rerun(old, key)).toEqual({ ...first, created: false });
    const stranger = await newTenant(ledger);
    expect(await rerunRun(portsOf(ledger), stranger.caller, { runId: old, idempotencyKey: key, notes: null })).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND', what: 'run' },
    });
  });
});

describe('a repeated test run', () => {
  const repeat = (testRunId: string, { caller = tenant.caller, idempotencyKey = randomUUID() } = {}) =>
    repeatTestRun(portsOf(ledger), caller, { testRunId, idempotencyKey, notes: null });
  /** A run that has ended, with the ids of its test runs by name. */
  async function ended(): Promise<{ runId: string; ids: Map<string, string> }> {
    const runId = await begin(ledger, tenant, filesInput('at first', { variables: { Size: 1 }, repetitions: 2 }));
    await cancelRunFor(ledger.database, 'cancelled', { tenantId: tenant.id, id: runId });
    const rows = await ledger.query<{ id: string; name: string }>(
      `select c.id, c.case_name || ' ' || c.repetition as name from test_case_results c
       join test_suite_runs s on s.id = c.run_id where s.run_id = $1`,
      [runId],
    );
    return { runId, ids: new Map(rows.map(({ id, name }) => [name, id])) };
  }

  it('is a run of nothing else, with the definitions and the seed of then', async () => {
    const { runId, ids } = await ended();
    await begin(ledger, tenant, filesInput('later'));
    const id = given(ids.get('second 2'));
    const answer = await repeat(id);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(
      await ledger.query(
        `select l.case_name as name, l.repetition, l.work ->> 'seed' = p.seed as seed, r.rerun_of as of,
           (select sum(total_cases)::int from test_suite_runs where run_id = r.id) as total, l.case_content_hash = p.case_content_hash as "case"
         from ${leases} l join runs r on r.id = l.run_id, planned_test_runs p where l.run_id = $1 and p.test_run_id = $2`,
        [answer.runId, id],
      ),
    ).toEqual([{ name: 'second', repetition: 2, seed: true, of: runId, total: 1, case: true }]);
    expect(await miscounted(ledger)).toEqual([]);
  });

  it('is one run for one key, and nothing for somebody else or for the base of a comparison', async () => {
    const { ids } = await ended();
    const id = given(ids.get('first 1'));
    const idempotencyKey = randomUUID();
    const first = await repeat(id, { idempotencyKey });
    expect(await repeat(id, { idempotencyKey })).toEqual({ ...first, created: false });
    expect(await repeat(given(ids.get('second 1')), { idempotencyKey })).toMatchObject({
      error: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    const stranger = await newTenant(ledger);
    const nothing = { ok: false, error: { code: 'NOT_FOUND', what: 'test run' } };
    expect(await repeat(id, { caller: stranger.caller })).toEqual(nothing);
    expect(await repeat(randomUUID())).toEqual(nothing);
    // The ledger keeps results as they are; only its superuser can pretend.
    await ledger.query(`update test_case_results set variant = 'baseline' where id = $1`, [id]);
    expect(await repeat(id)).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
  });
});
