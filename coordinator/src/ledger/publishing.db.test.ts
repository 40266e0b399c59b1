import { TaskMessage, workOf } from '@proofmark/contracts/task-message';
import { afterEach, expect, it } from 'vitest';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { finishSuiteRun } from '../judging/finish-suite-run.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  inEachTest,
  miscounted,
  newRepository,
  newSession,
  placeOf,
  resultOf,
  suiteFile,
  type Tenant,
} from '../story.fixture.ts';
import { markPublished, publishedBacklog, republish, takeUnpublished } from './publishing.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordResults } from './record-results.ts';
import { releaseSession } from './sessions.ts';

let ledger: Ledger;
let tenant: Tenant;
// What is published next depends on all that is there.
inEachTest(async (story) => {
  ({ ledger, tenant } = story);
  await newRepository(ledger, tenant);
});
afterEach(async () => {
  expect(await miscounted(ledger)).toEqual([]);
});

const path = 'a.suite.yaml';
const runOf = (name: string, cases: number, repetitions = 1) =>
  begin(
    ledger,
    tenant,
    anInput({ files: [{ path, text: suiteFile({ name, cases, repetitions }) }], suitePaths: [path] }),
  );

const pool = 'default';
const take = async (limit = 256) => {
  const tasks = await takeUnpublished(ledger.database, { pool, limit });
  return tasks.map((task) => ({ ...task, message: TaskMessage.parse(JSON.parse(task.payload)) }));
};
const worksOf = (message: TaskMessage) => message.turns.flat().map((testRun) => given(workOf(message, testRun)));
const publishAll = async () => {
  for (let tasks = await take(); tasks.length > 0; tasks = await take()) await markPublished(ledger.database, tasks);
};
/** S1-39: runners name a case by the id that it has in the database. */
async function expectCaseIds(tasks: Awaited<ReturnType<typeof take>>): Promise<void> {
  const known = await ledger.query(
    'select test_run_id as "testRunId", test_case_id as "testCaseId" from planned_test_runs',
  );
  const named = tasks.flatMap(({ message }) => message.turns.flat());
  expect(known).toEqual(expect.arrayContaining(named.map(({ testRunId, testCaseId }) => ({ testRunId, testCaseId }))));
}
/** A fleet that takes larger chunks. */
const largeFleet = () =>
  ledger.query(`insert into runner_sessions (runner_id, pool, version, slots, lease_until)
    values ('large', 'default', '0', 40, now() + interval '1 hour') returning id`);

it('hands out whole messages, round by round, until they are marked as published (F01, F02, S1-39)', async () => {
  const runId = await runOf('Rounds', 3, 2);
  const tasks = await take(4);
  expect(tasks.map(({ message }) => [message.tenantId, message.runId, message.chunkId])).toEqual(
    tasks.map(({ tenantId, id }) => [tenantId, runId, id]),
  );
  const place = tasks.flatMap(({ message }) => worksOf(message)).map((work) => [work.repetition, work.case.name]);
  expect(place).toEqual([
    [1, 'case 1'],
    [1, 'case 2'],
    [1, 'case 3'],
    [2, 'case 1'],
  ]);
  await expectCaseIds(tasks);
  // Whoever dies between publishing and marking publishes the same again.
  expect(await take(4)).toEqual(tasks);
  await markPublished(ledger.database, tasks);
  expect(await take(10)).toHaveLength(2);
});

it('sends what test runs share once in a message, and stores it once', async () => {
  await largeFleet();
  await runOf('Shared', 100, 2);
  const [first] = await take(1);
  const { settings, cases, turns } = given(first).message;
  expect([settings.length, cases.length, turns.length]).toEqual([1, 20, 20]);
  const [stored] = await ledger.query('select count(*)::int as contents from work_contents');
  expect(stored).toEqual({ contents: 101 });
});

it('lets a small run pass a large one, and hands out no more than runners are about to take', async () => {
  await runOf('Large', 200, 2);
  await publishAll();
  const [window] = await ledger.query('select sum(open_count)::int as size from chunks where published_at is not null');
  expect(window).toEqual({ size: 32 });
  const small = await runOf('Small', 2);
  // The window is full, and the small run is next in line all the same.
  const [next, ...others] = await take();
  expect([given(next).runId, others]).toEqual([small, []]);
  await markPublished(ledger.database, [given(next)]);
  expect(await take()).toEqual([]);
});

it('gives every run its turn where several wait', async () => {
  const runs = [await runOf('One', 60), await runOf('Two', 60)];
  const tasks = await take();
  const testRunsOf = (run: string) => tasks.filter(({ runId }) => runId === run).map((task) => task.testRuns);
  expect(runs.map((run) => testRunsOf(run).reduce((sum, count) => sum + count, 0))).toEqual([16, 16]);
});

it('publishes a chunk that was given back again, under a new generation', async () => {
  const runId = await runOf('Returned', 1);
  const [first] = await take();
  const sessionId = await newSession(ledger);
  const [leased] = await claimAll(ledger, runId, sessionId);
  await releaseSession(ledger.database, { sessionId, given: [placeOf(given(leased))], closing: false });
  // The mark of the first publication comes too late to hide the second.
  await markPublished(ledger.database, [given(first)]);
  const [second] = await take();
  expect(given(second).message).toEqual({ ...given(first).message, publishGen: 1 });
});

it('publishes what is left of a chunk in a new one, when a part of it is done (P6, S1-39)', async () => {
  await largeFleet();
  const runId = await runOf('Parts', 100);
  const sessionId = await newSession(ledger);
  const all = await claimAll(ledger, runId, sessionId);
  const chunk = all.filter(({ chunkId }) => chunkId === given(all[0]).chunkId);
  const [done, broken, waiting, ...others] = chunk;
  await recordResults(ledger.database, [resultOf(given(done))]);
  await ledger.query(
    "update runner_sessions set lease_until = now() - interval '1 second', waiting = $2 where id = $1",
    [sessionId, [waiting, ...others].map((one) => given(one).testRunId)],
  );
  await reapSessions(ledger.database);
  const rows = await ledger.query(
    `select crash_count as crashes, return_count as returns, cardinality(members) as size, attempt from chunks
     where run_id = $1 and state = 'queued' and $2 = any(members) or $3 = any(members) and state = 'queued' order by crashes`,
    [runId, given(broken).testRunId, given(waiting).testRunId],
  );
  // What nobody had begun goes back as it was; what was under way is a chunk of its own.
  expect(rows).toEqual([
    { crashes: 0, returns: 1, size: 8, attempt: 1 },
    { crashes: 1, returns: 0, size: 1, attempt: 1 },
  ]);
  const tasks = await take();
  await expectCaseIds(tasks);
  const again = tasks.flatMap(({ message }) => message.turns.flat());
  const seen = new Set(again.map(({ testRunId }) => testRunId));
  expect(seen.has(given(done).testRunId)).toBe(false);
  expect(again.length).toBe(seen.size);
});

it('can publish again what the broker lost, and nothing that is claimed or done', async () => {
  const runId = await runOf('Lost', 3);
  await publishAll();
  const sessionId = await newSession(ledger);
  const [leased, ...others] = await claimAll(ledger, runId, sessionId);
  await recordResults(ledger.database, [resultOf(given(leased))]);
  await releaseSession(ledger.database, { sessionId, given: [placeOf(given(others[0]))], closing: false });
  await publishAll();
  await ledger.query(`update chunks set published_at = now() - interval '1 minute' where published_at is not null`);
  expect(await publishedBacklog(ledger.database, pool)).toBe(1);
  expect(await republish(ledger.database, pool)).toBe(1);
  expect((await take()).map(({ publishGen, id }) => [publishGen, id])).toEqual([[2, given(others[0]).chunkId]]);
});

it('sends baseline and candidate of one repetition as one turn (C45)', async () => {
  const trigger = {
    triggeredBy: 'ci' as const,
    event: 'push',
    host: 'github.com',
    repositoryExternalId: '77',
    ref: 'refs/heads/main',
    headSha: 'a'.repeat(40),
  };
  const input = (instructions: string, changes: object) =>
    anInput({
      files: [{ path, text: suiteFile({ name: 'Pairs', cases: 2, repetitions: 2, instructions }) }],
      suitePaths: [path],
      trigger: { ...trigger, ...changes },
    });
  const base = await begin(ledger, tenant, input('Be kind.', {}));
  const leased = await claimAll(ledger, base, await newSession(ledger));
  const { finishedSuiteRuns } = await recordResults(
    ledger.database,
    leased.map((one) => resultOf(one)),
  );
  await finishSuiteRun(ledger.database, given(finishedSuiteRuns[0]));

  await begin(
    ledger,
    tenant,
    input('Be rude.', { event: 'pull_request', pullRequest: 1, headSha: 'b'.repeat(40), baseSha: 'a'.repeat(40) }),
  );
  const turns = (await take(2)).flatMap(({ message }) =>
    message.turns.map((turn) => turn.map((testRun) => given(workOf(message, testRun)))),
  );
  expect(turns).toHaveLength(4);
  for (const turn of turns) {
    expect(turn.map(({ variant, agent }) => [variant, agent.instructions])).toEqual([
      ['baseline', 'Be kind.'],
      ['candidate', 'Be rude.'],
    ]);
    expect(new Set(turn.map((work) => `${work.case.name} ${work.repetition} ${work.seed}`)).size).toBe(1);
  }
});
