import { TaskMessage } from '@proofmark/contracts/task-message';
import { finishSuiteRun } from '@proofmark/coordinator/finish-suite-run';
import { markPublished, publishedBacklog, republish, takeUnpublished } from '@proofmark/coordinator/publishing';
import { recordResults } from '@proofmark/coordinator/record-results';
import { releaseSession } from '@proofmark/coordinator/sessions';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Ledger, openLedger } from './open-ledger.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  newRepository,
  newSession,
  newTenant,
  resultOf,
  suiteFile,
  type Tenant,
} from './story.ts';

let ledger: Ledger;
let tenant: Tenant;
beforeAll(async () => {
  ledger = await openLedger(inject('postgresUrl'));
  tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
});
afterAll(() => ledger.close());

const path = 'a.suite.yaml';
const runOf = (name: string, cases: number, repetitions = 1) =>
  begin(
    ledger,
    tenant,
    anInput({ files: [{ path, text: suiteFile({ name, cases, repetitions }) }], suitePaths: [path] }),
  );
const keyOf = (id: string) => ({ tenantId: tenant.id, id });

it('hands out whole tasks, round by round, until they are marked as published (F01, F02)', async () => {
  const runId = await runOf('Rounds', 3, 2);
  const tasks = await takeUnpublished(ledger.database, 4, keyOf(runId));
  expect(tasks.map((task) => TaskMessage.parse(task))).toEqual(tasks);
  const place = tasks.map(({ testRuns }) => [given(testRuns[0]).work.repetition, given(testRuns[0]).work.case.name]);
  expect(place).toEqual([
    [1, 'case 1'],
    [1, 'case 2'],
    [1, 'case 3'],
    [2, 'case 1'],
  ]);
  // Whoever dies between publishing and marking publishes the same tasks again.
  expect(await takeUnpublished(ledger.database, 4, keyOf(runId))).toEqual(tasks);
  await markPublished(ledger.database, tasks);
  expect(await takeUnpublished(ledger.database, 10, keyOf(runId))).toHaveLength(2);
});

it('lets a small run pass a large one that has not been published yet', async () => {
  await ledger.query('update test_run_leases set published_at = now()');
  await runOf('Large', 50, 2);
  const small = await runOf('Small', 2);
  const tasks = await takeUnpublished(ledger.database, 10);
  expect(tasks.filter(({ runId }) => runId === small)).toHaveLength(2);
});

it('publishes a test run that was given back again, under a new generation', async () => {
  const runId = await runOf('Returned', 1);
  const [first] = await takeUnpublished(ledger.database, 1, keyOf(runId));
  const sessionId = await newSession(ledger);
  const [leased] = await claimAll(ledger, runId, sessionId);
  await releaseSession(ledger.database, { sessionId, held: [given(leased)], closing: false });
  // The mark of the first publication comes too late to hide the second.
  await markPublished(ledger.database, [given(first)]);
  const [second] = await takeUnpublished(ledger.database, 1, keyOf(runId));
  expect(given(second)).toMatchObject({ publishGen: 1, testRuns: given(first).testRuns });
});

it('can publish again what the broker lost, and nothing that is claimed or done', async () => {
  const runId = await runOf('Lost', 3);
  await markPublished(ledger.database, await takeUnpublished(ledger.database, 3, keyOf(runId)));
  const sessionId = await newSession(ledger);
  const [leased, ...others] = await claimAll(ledger, runId, sessionId);
  await recordResults(ledger.database, [resultOf(given(leased))]);
  await releaseSession(ledger.database, { sessionId, held: [given(others[0])], closing: false });
  await markPublished(ledger.database, await takeUnpublished(ledger.database, 3, keyOf(runId)));
  await ledger.query(
    `update test_run_leases set published_at = now() - interval '1 minute' where published_at is not null`,
  );
  const backlog = await publishedBacklog(ledger.database);
  expect(backlog.find((one) => one.runId === runId)).toEqual({ tenantId: tenant.id, runId, published: 1 });
  expect(await republish(ledger.database, keyOf(runId))).toBe(1);
  const again = await takeUnpublished(ledger.database, 9, keyOf(runId));
  expect(again.map(({ publishGen, testRuns }) => [publishGen, given(testRuns[0]).testRunId])).toEqual([
    [2, given(others[0]).testRunId],
  ]);
});

it('sends baseline and candidate of one repetition as one task (C45)', async () => {
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

  const head = await begin(
    ledger,
    tenant,
    input('Be rude.', { event: 'pull_request', pullRequest: 1, headSha: 'b'.repeat(40), baseSha: 'a'.repeat(40) }),
  );
  // The limit counts test runs; a pair that it would cut in two stays whole.
  const tasks = await takeUnpublished(ledger.database, 3, keyOf(head));
  expect(tasks).toHaveLength(2);
  for (const { testRuns } of tasks) {
    expect(testRuns.map(({ work }) => [work.variant, work.agent.instructions])).toEqual([
      ['baseline', 'Be kind.'],
      ['candidate', 'Be rude.'],
    ]);
    expect(new Set(testRuns.map(({ work }) => `${work.case.name} ${work.repetition} ${work.seed}`)).size).toBe(1);
  }
});
