import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { longestPauseOf, paceKeyOf, pauseWrites, takeWriteTurn, WritesPaused } from '../feedback/write-pace.ts';
import { finishSuiteRun, giveUpSuiteRun } from '../judging/finish-suite-run.ts';
import { judgedRuns, pull, sha } from '../judging/judged-runs.fixture.ts';
import { cancelRun } from '../ledger/cancel-run.ts';
import { recordResults } from '../ledger/record-results.ts';
import {
  begin,
  claimAll,
  given,
  newRepository,
  newSession,
  newTenant,
  openStory,
  resultOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { type OutboxOptions, outbox } from './outbox.ts';
import { takeTurn } from './take-turn.ts';
import { webhooks } from './webhooks.ts';

const installationId = '5';
const tenMinutesMs = 600_000;

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, installationId);
const paceKey = paceKeyOf('github.com', installationId);
const runs = judgedRuns(ledger, tenant);
beforeEach(() => ledger.query('delete from outbox'));
beforeEach(() => ledger.query('delete from installation_pace'));

const nothing = () => undefined;
const quiet = { warn: nothing, error: nothing, debug: nothing };

/** A replica whose forge takes everything, unless the test says otherwise; the lanes are passed by hand. */
function replicaWith(given_: Partial<OutboxOptions> = {}) {
  const told: string[] = [];
  const { database } = ledger;
  const lanes = outbox({
    ...{ verdicts: { database, atOnce: 8 }, deliveries: { database, atOnce: 8 }, alerts: { database, atOnce: 8 } },
    tellAlert: async () => ({ state: 'done', externalId: null }),
    ...{ replica: randomUUID(), leaseMs: 60_000, writeIntervalMs: 20, log: quiet, onCompleted: nothing, wake: nothing },
    finish: (suiteRun) => finishSuiteRun(database, suiteRun),
    giveUp: (suiteRun, why) => giveUpSuiteRun(database, suiteRun, why),
    feedback: {
      deliver: async ({ id }) => {
        told.push(id);
        return { state: 'done', externalId: null };
      },
    },
    ...given_,
  });
  const pass = async (name: string) => {
    const lane = given(lanes.find((one) => one.name === name));
    const { taken } = await lane.run(AbortSignal.timeout(60_000));
    await lane.settled?.();
    return { taken };
  };
  return { told, verdicts: () => pass('verdicts'), deliveries: () => pass('deliveries') };
}

const stateOf = async (kind: string, runId: string) =>
  ledger.query('select state, reason, tries from outbox where kind = $1 and run_id = $2 order by created_at', [
    kind,
    runId,
  ]);

/** A run of which every test run has passed and nothing is judged. */
async function executed(name: string): Promise<string> {
  const runId = await runs.start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ name, cases: 2 }) });
  await runs.execute(runId, () => true);
  return runId;
}

const wantCheck = ({ id }: Tenant, runId: string) =>
  ledger.query(
    `insert into outbox (tenant_id, kind, dedupe_key, run_id) values ($1, 'github-check', gen_random_uuid(), $2)`,
    [id, runId],
  );

/** A run of a pull request, of which one check is to be written. */
async function withCheck(number: number): Promise<string> {
  const trigger = { ...pull(number), headSha: sha('a'), baseSha: sha('b') };
  const runId = await runs.start({ trigger, text: suiteFile({ name: `Check ${number}`, cases: 1 }) });
  await ledger.query(`delete from outbox where run_id = $1`, [runId]);
  await wantCheck(tenant, runId);
  return runId;
}

it('S2-12 says in the log which suite is worse than its alert rule allows, once', async () => {
  const text = suiteFile({ name: 'Falling', cases: 2 });
  const trigger = { triggeredBy: 'schedule' } as const;
  const warned: unknown[] = [];
  const log = { ...quiet, warn: (...said: unknown[]) => void warned.push(said) };
  for (const passes of [true, false]) {
    const runId = await runs.start({ trigger, text });
    await runs.execute(runId, () => passes);
    await replicaWith({ log }).verdicts();
    const told = { runId, suiteRunId: expect.any(String), dropPoints: 100, newlyFailing: 2 };
    expect(warned).toEqual(
      passes ? [] : [[expect.objectContaining(told), 'A suite is worse than its alert rule allows']],
    );
  }
  await replicaWith({ log }).verdicts();
  expect(warned).toHaveLength(1);
});

it('a pause that GitHub asked for holds up neither verdicts nor other installations: the rows are not due', async () => {
  const paused = await withCheck(1);
  await pauseWrites(ledger.database, paceKey, tenMinutesMs);
  const other = await newTenant(ledger);
  const free = await begin(ledger, other);
  await wantCheck(other, free);
  const judged = await executed('Beside a pause');
  const { told, verdicts, deliveries } = replicaWith();
  expect(await deliveries()).toMatchObject({ taken: 1 });
  expect(told).toHaveLength(1);
  expect(await stateOf('github-check', free)).toMatchObject([{ state: 'done' }]);
  expect(await stateOf('github-check', paused)).toMatchObject([{ state: 'due', tries: 0 }]);
  expect(await verdicts()).toMatchObject({ taken: 1 });
  expect(await runs.runOf(judged)).toMatchObject({ status: 'completed' });

  await ledger.query('delete from installation_pace');
  expect(await deliveries()).toMatchObject({ taken: 1 });
  expect(await stateOf('github-check', paused)).toMatchObject([{ state: 'done' }]);
});

it('the longest pause of all is told, and neither a turn nor a chore is one', async () => {
  const turn = { paceKey, intervalMs: 1_000, signal: AbortSignal.timeout(60_000) };
  await takeWriteTurn(ledger.database, turn);
  await takeTurn(ledger.database, 'parked', tenMinutesMs);
  expect(await longestPauseOf(ledger.database, 1_000)).toBe(0);
  await pauseWrites(ledger.database, paceKey, tenMinutesMs);
  await pauseWrites(ledger.database, paceKeyOf('github.com', '6'), 2 * tenMinutesMs);
  expect(await longestPauseOf(ledger.database, 1_000)).toBeGreaterThan(2 * tenMinutesMs - 60_000);
});

it('a writer that runs into a pause is told when it ends, instead of sitting it out', async () => {
  await pauseWrites(ledger.database, paceKey, tenMinutesMs);
  const turn = { paceKey, intervalMs: 1_000, signal: AbortSignal.timeout(60_000) };
  const error = await takeWriteTurn(ledger.database, turn).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WritesPaused);
  expect((error as WritesPaused).afterMs).toBeGreaterThan(tenMinutesMs - 60_000); // asserted one line above
});

it('writers of one installation take their turns, one per interval', async () => {
  const turn = { paceKey, intervalMs: 100, signal: AbortSignal.timeout(60_000) };
  const start = performance.now();
  await Promise.all(Array.from({ length: 4 }, () => takeWriteTurn(ledger.database, turn)));
  expect(performance.now() - start).toBeGreaterThan(290);
});

it('a delivery that takes long holds up no other one, and two of its installation are under way at most', async () => {
  for (let number = 20; number < 24; number += 1) await withCheck(number);
  const gate = Promise.withResolvers<void>();
  const told: string[] = [];
  const slow: OutboxOptions['feedback'] = {
    deliver: async ({ tenantId, id }) => {
      told.push(id);
      if (tenantId === tenant.id) await gate.promise;
      return { state: 'done', externalId: null };
    },
  };
  const { database } = ledger;
  const [, deliveries] = outbox({
    ...{ verdicts: { database, atOnce: 2 }, deliveries: { database, atOnce: 4 }, alerts: { database, atOnce: 1 } },
    tellAlert: async () => ({ state: 'done', externalId: null }),
    ...{ replica: randomUUID(), leaseMs: 60_000, writeIntervalMs: 20, log: quiet, onCompleted: nothing, wake: nothing },
    feedback: slow,
    finish: (suiteRun) => finishSuiteRun(database, suiteRun),
    giveUp: (suiteRun, why) => giveUpSuiteRun(database, suiteRun, why),
  });
  const { run, settled } = given(deliveries);
  expect(await run(AbortSignal.timeout(60_000))).toMatchObject({ taken: 2 });
  const other = await newTenant(ledger);
  const free = await begin(ledger, other);
  await wantCheck(other, free);
  expect(await run(AbortSignal.timeout(60_000))).toMatchObject({ taken: 1 });
  await waitUntil(async () => (await stateOf('github-check', free))[0]?.state === 'done', {
    what: 'the other one is done',
  });
  expect(await run(AbortSignal.timeout(60_000))).toMatchObject({ taken: 0 });
  gate.resolve();
  await settled?.();
  expect(await run(AbortSignal.timeout(60_000))).toMatchObject({ taken: 2 });
  await settled?.();
  expect(told).toHaveLength(5);
});

it('one installation with much to write leaves room for the others', async () => {
  for (let number = 10; number < 20; number += 1) await withCheck(number);
  const other = await newTenant(ledger);
  const free = await begin(ledger, other);
  await wantCheck(other, free);
  expect(await replicaWith().deliveries()).toMatchObject({ taken: 3 });
  expect(await stateOf('github-check', free)).toMatchObject([{ state: 'done' }]);
});

/** A comparison of which the candidate has ended and the base has not. */
async function halfExecuted(name: string, number: number) {
  await runs.baseRun(sha('c'), suiteFile({ name, cases: 2, repetitions: 3 }));
  await ledger.query('delete from outbox');
  const text = suiteFile({ name, cases: 2, instructions: 'Be brief.' });
  const runId = await runs.start({ trigger: { ...pull(number), headSha: sha('d'), baseSha: sha('c') }, text });
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const [candidate] = await ledger.query<{ id: string }>(
    `select id from test_suite_runs where run_id = $1 and variant = 'candidate'`,
    [runId],
  );
  const isOfCandidate = ({ suiteRunId }: { suiteRunId: string }) => suiteRunId === given(candidate).id;
  await recordResults(
    ledger.database,
    leased.filter(isOfCandidate).map((one) => resultOf(one)),
  );
  return { runId, rest: leased.filter((one) => !isOfCandidate(one)) };
}

it('a suite run whose other side still runs is done with: the job of the other side judges both', async () => {
  const { runId, rest } = await halfExecuted('Sides', 30);
  expect(rest.length).toBeGreaterThan(0);
  const { verdicts } = replicaWith();
  await verdicts();
  expect(await stateOf('finish-suite-run', runId)).toMatchObject([{ state: 'done' }]);
  expect(await verdicts()).toMatchObject({ taken: 0 });
  await recordResults(
    ledger.database,
    rest.map((one) => resultOf(one)),
  );
  await verdicts();
  expect(await stateOf('finish-suite-run', runId)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', ended: true });
});

it('a side that has ended is judged by itself when what it waited for is cancelled', async () => {
  const { runId } = await halfExecuted('Cancelled sides', 31);
  const { verdicts } = replicaWith();
  await verdicts();
  await cancelRun(ledger.database, tenant.caller, runId);
  expect(await verdicts()).toMatchObject({ taken: 1 });
  expect((await runs.verdictsOf(runId)).map(({ word }) => word)).toHaveLength(1);
  expect(await runs.runOf(runId)).toMatchObject({ status: 'cancelled' });
});

it('a suite that fails to be judged ten times ends its run with an error that says so', async () => {
  const runId = await executed('Unjudged');
  const finish = async () => {
    throw new Error('out of luck');
  };
  const { verdicts } = replicaWith({ finish });
  for (let round = 1; round <= 10; round += 1) {
    expect(await verdicts()).toEqual({ taken: 1 });
    await ledger.query(`update outbox set next_try_at = now() where run_id = $1`, [runId]);
  }
  expect(await runs.runOf(runId)).toMatchObject({ status: 'running' });
  expect(await verdicts()).toEqual({ taken: 1 });
  expect(await stateOf('finish-suite-run', runId)).toMatchObject([
    { state: 'parked', reason: '10 attempts came to no end' },
  ]);
  expect(await runs.runOf(runId)).toEqual({
    status: 'completed',
    verdict: 'error',
    conclusion: 'failure',
    ended: true,
  });
  expect(await runs.verdictOf(runId)).toMatchObject({
    word: 'error',
    title: 'The suite could not be judged',
    paragraph: ['The coordinator gave up: ', { code: '10 attempts came to no end' }],
  });
});

/** As if the replicas that had taken these rows were killed over them. */
const leftBehind = (runId: string, tries: number) =>
  ledger.query(
    `update outbox set tries = $2, lease_until = now() - interval '1 second', lease_owner = 'gone' where run_id = $1`,
    [runId, tries],
  );

it('what has ended ten coordinators is parked, and those beside it are not', async () => {
  const killer = await withCheck(40);
  await leftBehind(killer, 10);
  const innocent = await withCheck(41);
  await leftBehind(innocent, 1);
  const verdict = await executed('Deadly');
  await leftBehind(verdict, 10);
  const { told, deliveries, verdicts } = replicaWith();
  expect([await deliveries(), await deliveries()]).toEqual([{ taken: 1 }, { taken: 1 }]);
  expect(told).toHaveLength(1);
  expect(await stateOf('github-check', killer)).toMatchObject([
    { state: 'parked', reason: '10 attempts came to no end' },
  ]);
  expect(await stateOf('github-check', innocent)).toMatchObject([{ state: 'done' }]);
  expect(await verdicts()).toEqual({ taken: 1 });
  expect(await runs.runOf(verdict)).toMatchObject({ status: 'completed', verdict: 'error' });
});

it('the statements that docs/observe.md shows run, and find what was given up', async () => {
  const runId = await withCheck(90);
  await ledger.query(`update outbox set state = 'parked', reason = 'the App is not installed' where run_id = $1`, [
    runId,
  ]);
  const page = await readFile(join(import.meta.dirname, '../../../docs/observe.md'), 'utf8');
  const statements = Array.from(page.matchAll(/`(select [^`]+)`/g), ([, statement = '']) => statement);
  const answers: unknown[] = [];
  for (const statement of statements) answers.push(await ledger.query(statement));
  expect(answers).toContainEqual([{ kind: 'github-check', reason: 'the App is not installed', count: '1' }]);
  expect(answers).not.toContainEqual([]);
});

it('a webhook that was taken ten times without an end is parked and not acted on again', async () => {
  const payload = JSON.stringify({ event: 'installation', action: 'created', account: { id: 1 } });
  const insert = (id: string, tries: number) =>
    ledger.query(
      `insert into webhook_deliveries (delivery_id, event, payload, state, tries) values ($1, 'installation', $2, 'due', $3)`,
      [id, payload, tries],
    );
  await insert('poison', 10);
  await insert('fresh', 0);
  const acted: number[] = [];
  const act = async (_work: unknown, ageMs: number) => {
    acted.push(ageMs);
    return null;
  };
  const { run } = webhooks({ database: ledger.database, act, log: quiet });
  expect(await run(AbortSignal.timeout(60_000))).toEqual({ done: 1, failed: 1 });
  expect(acted).toHaveLength(1);
  const [poison] = await ledger.query(`select state, reason from webhook_deliveries where delivery_id = 'poison'`);
  expect(poison).toEqual({ state: 'parked', reason: '10 attempts came to no end' });

  // One that had to wait for the forge has not been tried: it comes again when the pause is over.
  await insert('early', 9);
  const early = webhooks({
    database: ledger.database,
    act: () => Promise.reject(new WritesPaused(90_000)),
    log: quiet,
  });
  expect(await early.run(AbortSignal.timeout(60_000))).toEqual({ done: 1, failed: 0 });
  const [waiting] = await ledger.query(
    `select state, tries, next_try_at between now() + interval '80 s' and now() + interval '90 s' as later
     from webhook_deliveries where delivery_id = 'early'`,
  );
  expect(waiting).toEqual({ state: 'due', tries: 0, later: true });
});
