import { expect, inject, it } from 'vitest';
import { openLedger } from '../database/open-ledger.fixture.ts';
import { closeOverdue } from '../ledger/close-overdue.ts';
import { recordResults } from '../ledger/record-results.ts';
import {
  anInput,
  begin,
  claimAll,
  given,
  leases,
  newRepository,
  newSession,
  newTenant,
  openStory,
  resultOf,
  rowsRead,
  suiteFile,
} from '../story.fixture.ts';
import { finishSuiteRun } from './finish-suite-run.ts';
import { judgedRuns, pull, push, sha } from './judged-runs.fixture.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '5');
const runs = judgedRuns(ledger, tenant);

const { start, execute, judge, verdictOf, runOf } = {
  start: (...given: Parameters<typeof runs.start>) => runs.start(...given),
  execute: (...given: Parameters<typeof runs.execute>) => runs.execute(...given),
  judge: (runId: string) => runs.judge(runId),
  verdictOf: (runId: string) => runs.verdictOf(runId),
  runOf: (runId: string) => runs.runOf(runId),
};

const baseRun = (name: string, commit: string, cases = 10) =>
  runs.baseRun(commit, suiteFile({ name, cases, repetitions: 3 }));

it('completes a run when its last suite run is judged, once (P2, F04)', async () => {
  const runId = await start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ name: 'Alone', cases: 2 }) });
  await execute(runId, () => true);
  expect(await runOf(runId)).toMatchObject({ status: 'running', verdict: null });
  expect(await judge(runId)).toEqual(['done']);
  expect(await runOf(runId)).toEqual({
    status: 'completed',
    verdict: 'no-baseline',
    conclusion: 'success',
    ended: true,
  });
  const before = await verdictOf(runId);
  expect(await judge(runId)).toEqual(['done']);
  expect(await verdictOf(runId)).toEqual(before);
});

it('completes a run once when two replicas judge its last two suite runs at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const files = ['a', 'b'].map((name) => ({
      path: `${name}.suite.yaml`,
      text: suiteFile({ name: `Twin ${name} ${round}`, cases: 1 }),
    }));
    const runId = await begin(ledger, tenant, anInput({ files, suitePaths: files.map((file) => file.path) }));
    await execute(runId, () => true);
    const jobs = await ledger.query<{ id: string }>(
      `select suite_run_id as id from outbox where kind = 'finish-suite-run' and run_id = $1`,
      [runId],
    );
    const done = await Promise.all(
      jobs.map(({ id }) => finishSuiteRun(ledger.database, { tenantId: tenant.id, suiteRunId: id })),
    );
    expect(done.filter(({ completedRun }) => completedRun !== null)).toHaveLength(1);
    expect(await runOf(runId)).toMatchObject({ status: 'completed' });
  }
});

it('sums up what its cases came to without a look at the other suite runs for each of them', async () => {
  await using young = await openLedger(inject('postgresUrl'), 1);
  const owner = await newTenant(young);
  const many = judgedRuns(young, owner);
  const trigger = { triggeredBy: 'api' as const };
  for (let earlier = 0; earlier < 20; earlier += 1) await many.start({ trigger, text: suiteFile({ cases: 1 }) });
  const runId = await many.start({ trigger, text: suiteFile({ cases: 200 }) });
  await many.execute(runId, () => true);
  const before = await rowsRead(young, ['runs', 'test_suite_runs']);
  expect(await many.judge(runId)).toEqual(['done']);
  // A look at all runs for each case alone would be 200 x 21.
  expect((await rowsRead(young, ['runs', 'test_suite_runs'])) - before).toBeLessThan(3_000);
  expect(await young.query('select from case_summaries')).toHaveLength(200);
});

it('finds a regression of a pull request against the base branch, with both agents run side by side', async () => {
  const base = await baseRun('Gate', sha('a'));
  const text = suiteFile({ name: 'Gate', cases: 10, repetitions: 3, instructions: 'Be rude.' });
  const runId = await start({ trigger: { ...pull(3), headSha: sha('b'), baseSha: sha('a') }, text });
  const variants = await ledger.query(
    'select variant, total_cases as total, agent_hash from test_suite_runs where run_id = $1 order by 1',
    [runId],
  );
  expect(variants).toMatchObject([
    { variant: 'baseline', total: 30 },
    { variant: 'candidate', total: 30 },
  ]);
  await execute(runId, (caseName) => Number(caseName.split(' ')[1]) > 5);
  await judge(runId);
  expect(await runOf(runId)).toMatchObject({ status: 'completed', verdict: 'regressed', conclusion: 'failure' });
  const verdict = await verdictOf(runId);
  // Three trials of the base branch and three beside the head.
  expect(verdict.cases[0]).toMatchObject({ base: { passed: 6 }, head: { passed: 0, failed: 3 } });
  expect(verdict).toMatchObject({ basePassRate: 100, headPassRate: 50, diffPoints: -50 });
  const [row] = await ledger.query(
    `select b.run_id from test_suite_runs r join test_suite_runs b on b.id = r.baseline_suite_run_id where r.run_id = $1 and r.variant = 'candidate'`,
    [runId],
  );
  expect(row).toEqual({ run_id: base });
});

it('rules a regression out when enough trials on both sides are equal', async () => {
  await baseRun('Same', sha('c'), 40);
  const text = suiteFile({ name: 'Same', cases: 40, repetitions: 3, instructions: 'Be very kind.' });
  const runId = await start({ trigger: { ...pull(4), headSha: sha('d'), baseSha: sha('c') }, text });
  await execute(runId, () => true);
  await judge(runId);
  expect(await runOf(runId)).toMatchObject({ verdict: 'unchanged', conclusion: 'success' });
});

it('waits for the baseline beside a candidate, and judges when it has ended', async () => {
  await baseRun('Wait', sha('e'));
  const text = suiteFile({ name: 'Wait', cases: 2, instructions: 'Be brief.' });
  const runId = await start({ trigger: { ...pull(5), headSha: sha('f'), baseSha: sha('e') }, text });
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const rows = await ledger.query<{ id: string; variant: string; suite: string }>(
    `select test_run_id as id, variant, suite_run_id as suite from ${leases} l where run_id = $1`,
    [runId],
  );
  const sideOf = (variant: string) =>
    leased.filter(({ testRunId }) => rows.find(({ id }) => id === testRunId)?.variant === variant);
  await recordResults(
    ledger.database,
    sideOf('candidate').map((one) => resultOf(one)),
  );
  expect(await judge(runId)).toEqual(['waiting']);
  await recordResults(
    ledger.database,
    sideOf('baseline').map((one) => resultOf(one)),
  );
  expect(await judge(runId)).toEqual(['done', 'done']);
  expect(await runOf(runId)).toMatchObject({ status: 'completed' });
});

it('takes the gate of the base branch, so that a pull request cannot loosen its own', async () => {
  await baseRun('Strict', sha('1'));
  const loose = suiteFile({
    name: 'Strict',
    cases: 10,
    repetitions: 3,
    instructions: 'Be rude.',
    extra: 'gate: { fail_on: [] , alpha: 0.001, fdr: 0.001 }',
  });
  const runId = await start({ trigger: { ...pull(6), headSha: sha('2'), baseSha: sha('1') }, text: loose });
  await execute(runId, () => false);
  await judge(runId);
  expect(await runOf(runId)).toMatchObject({ verdict: 'regressed', conclusion: 'failure' });
});

it('uses a finished base run as baseline and a pull request never', async () => {
  const base = await baseRun('Ladder', sha('3'));
  const rows = async () =>
    ledger.query(
      `select b.commit_sha, r.run_id from baselines b join test_suite_runs r on r.id = b.suite_run_id where r.suite_name = 'Ladder'`,
    );
  expect(await rows()).toEqual([{ commit_sha: sha('3'), run_id: base }]);
  const text = suiteFile({ name: 'Ladder', cases: 10, repetitions: 3 });
  const runId = await start({ trigger: { ...pull(7), headSha: sha('4'), baseSha: sha('3') }, text });
  await execute(runId, () => true);
  await judge(runId);
  expect(await rows()).toHaveLength(1);
});

it('pools the trials of earlier runs of the same pull request with the same agent', async () => {
  const text = suiteFile({ name: 'Pooled', cases: 2, instructions: 'Be odd.' });
  await baseRun('Pooled', sha('5'));
  for (const expected of [1, 2]) {
    const runId = await start({ trigger: { ...pull(8), headSha: sha('6'), baseSha: sha('5') }, text });
    await execute(runId, () => true);
    await judge(runId);
    expect((await verdictOf(runId)).cases.find(({ caseName }) => caseName === 'case 1')?.head).toMatchObject({
      planned: expected,
      passed: expected,
    });
  }
});

it('judges what was measured before the deadline, and calls the run timed out', async () => {
  const runId = await start({ trigger: { triggeredBy: 'api' }, text: suiteFile({ name: 'Late', cases: 2 }) });
  await ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [runId]);
  await closeOverdue(ledger.database);
  await judge(runId);
  expect(await runOf(runId)).toMatchObject({ status: 'failed', verdict: 'error', conclusion: 'timed_out' });
});

it('wants the checks and the comment written anew when a verdict has come', async () => {
  const text = suiteFile({ name: 'Told', cases: 1 });
  const runId = await start({ trigger: { ...pull(9), headSha: sha('7'), baseSha: sha('8') }, text });
  await ledger.query(
    `update outbox set state = 'done', observed_version = wanted_version where run_id = $1 and kind <> 'finish-suite-run'`,
    [runId],
  );
  await execute(runId, () => true);
  await judge(runId);
  const rows = await ledger.query(
    `select kind, state, wanted_version > observed_version as behind from outbox where run_id = $1 and kind <> 'finish-suite-run' order by dedupe_key`,
    [runId],
  );
  expect(rows).toHaveLength(3);
  for (const row of rows) expect(row).toMatchObject({ state: 'due', behind: true });
});

it('measures on the base branch how flaky a case is, and never lets a flaky case fail a pull request alone (statistics 8)', async () => {
  const text = suiteFile({ name: 'Flaky', cases: 5, repetitions: 5 });
  for (const commit of ['9', '0']) {
    const runId = await start({ trigger: { ...push, headSha: sha(commit) }, text });
    await execute(runId, (caseName, repetition) => caseName !== 'case 1' || repetition % 2 === 0);
    await judge(runId);
  }
  const rows = await ledger.query(
    `select c.name, c.flakiness from test_cases c join agent_test_suites s on s.id = c.suite_id where s.name = 'Flaky' order by 1`,
  );
  expect(rows.slice(0, 2)).toEqual([
    { name: 'case 1', flakiness: 0.96 },
    { name: 'case 2', flakiness: 0 },
  ]);
  const runId = await start({ trigger: { ...pull(10), headSha: sha('a'), baseSha: sha('0') }, text });
  await execute(runId, (caseName) => caseName !== 'case 1');
  await judge(runId);
  const verdict = await verdictOf(runId);
  expect(verdict.cases.filter(({ quarantined }) => quarantined).map(({ caseName }) => caseName)).toEqual(['case 1']);
  expect(verdict.flagged).toEqual([]);
});

it('runs the base again only once per case when its history is long enough (statistics 2)', async () => {
  const other = await newTenant(ledger);
  await newRepository(ledger, other, null);
  const itsRuns = judgedRuns(ledger, other);
  const text = suiteFile({ name: 'History', cases: 2, repetitions: 5 });
  const seen: unknown[] = [];
  for (const commit of ['b', 'c', 'd'].map(sha)) {
    const trigger = { ...pull(11), headSha: commit, baseSha: commit };
    const head = await start({ trigger, text: text.replace('kind', 'terse') }, other.caller);
    const [row] = await ledger.query<{ repetitions: number | null }>(
      `select max(repetition) as repetitions from ${leases} l where run_id = $1 and variant = 'baseline'`,
      [head],
    );
    seen.push(given(row).repetitions);
    const base = await start({ trigger: { ...push, headSha: commit }, text }, other.caller);
    await execute(base, () => true);
    await itsRuns.judge(base);
  }
  // No base yet; five trials of it, fewer than the ten that would do; ten of them.
  expect(seen).toEqual([null, 5, 1]);
});
