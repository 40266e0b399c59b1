import { TaskMessage } from '@proofmark/contracts/task-message';
import { describe, expect, it } from 'vitest';
import { enforceBudgets } from '../ledger/enforce-budgets.ts';
import { takeUnpublished } from '../ledger/publishing.ts';
import { given, leases, newRepository, newTenant, openStory, suiteFile } from '../story.fixture.ts';
import { confirmSuiteRun } from './confirm-suite-run.ts';
import { finishSuiteRun } from './finish-suite-run.ts';
import { judgedRuns, pull, push, sha } from './judged-runs.fixture.ts';
import { stopEarly } from './stop-early.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '5');
const runs = judgedRuns(ledger, tenant);

interface SuiteRunRow {
  id: string;
  variant: string;
  purpose: string;
  status: string;
  total: number;
  skipped: number;
  early: unknown;
}

const suiteRunsOf = (runId: string) =>
  ledger.query<Record<string, unknown> & SuiteRunRow>(
    `select id, variant, purpose, status, total_cases as total, skipped_cases as skipped, early from test_suite_runs
     where run_id = $1 order by purpose desc, variant`,
    [runId],
  );

/** A pull request against a base of which the base side runs beside it. */
async function propose(name: string, number: number, extra: string, settings = {}, cases = 10): Promise<string> {
  const [base, head] = [sha(String(number % 10)), sha('abcdef'.charAt(number % 6))];
  await runs.baseRun(base, suiteFile({ name, cases: 10, extra }));
  const text = suiteFile({ name, cases, repetitions: 5, instructions: 'Be odd.', extra });
  return runs.start({ trigger: { ...pull(number), headSha: head, baseSha: base }, text, settings });
}

const confirmCase = 'gate: { confirm: auto, alpha: 0.05 }';
/** One of ten cases loses four of five: possible, and by far not proven where every suspicion is run again. */
const shaky = (caseName: string, repetition: number) => caseName !== 'case 1' || repetition > 4;

describe('a suspicion', () => {
  it('is confirmed by fresh trials of all cases on both sides, in further suite runs of the same run', async () => {
    const runId = await propose('Auto', 41, confirmCase);
    const total = (await suiteRunsOf(runId)).length;
    await runs.execute(runId, (caseName, repetition) => repetition > 1 || caseName > 'case 2');
    await runs.judge(runId);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'running', verdict: null });
    const added = (await suiteRunsOf(runId)).filter(({ purpose }) => purpose === 'confirm');
    expect(added.map(({ variant, status }) => [variant, status])).toEqual([
      ['baseline', 'pending'],
      ['candidate', 'pending'],
    ]);
    expect(total).toBe(2);
    const seeds = await ledger.query(
      `select distinct work ->> 'seed' as seed from ${leases} l where suite_run_id = $1 and case_name = 'case 1'`,
      [given(added[1]).id],
    );
    expect(seeds).toHaveLength(5);
    await runs.execute(runId, (caseName) => caseName > 'case 3');
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict).toMatchObject({ word: 'regressed', reason: 'confirmed', confirmation: { isConfirmed: true } });
    expect(verdict.cases[0]?.head?.planned).toBe(5);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', verdict: 'regressed', conclusion: 'failure' });
  });

  it('waits for its fresh trials, also when the ends of both sides are told at the same time', async () => {
    const runId = await propose('At once', 39, confirmCase);
    await runs.execute(runId, (caseName, repetition) => repetition > 1 || caseName > 'case 2');
    const jobs = await ledger.query<{ id: string }>(
      `select suite_run_id as id from outbox where kind = 'finish-suite-run' and run_id = $1`,
      [runId],
    );
    const sides = [...jobs, ...jobs, ...jobs];
    await Promise.all(sides.map(({ id }) => finishSuiteRun(ledger.database, { tenantId: tenant.id, suiteRunId: id })));
    expect(await runs.runOf(runId)).toMatchObject({ status: 'running', verdict: null });
    const verdicts = await ledger.query('select distinct verdict from test_suite_runs where run_id = $1', [runId]);
    expect(verdicts).toEqual([{ verdict: null }]);
    await runs.execute(runId, (caseName) => caseName > 'case 3');
    await runs.judge(runId);
    expect(await runs.verdictOf(runId)).toMatchObject({ word: 'regressed', reason: 'confirmed' });
  });

  it('that fresh trials do not confirm is cleared with all of them', async () => {
    const runId = await propose('Cleared', 42, confirmCase);
    await runs.execute(runId, (caseName, repetition) => repetition > 1 || caseName > 'case 2');
    await runs.judge(runId);
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(['unchanged', 'inconclusive']).toContain(verdict.word);
    expect(verdict.confirmation).toMatchObject({ isConfirmed: false });
    expect(verdict.cases[0]?.head?.planned).toBe(10);
  });

  it('asks nobody for a case that only the head has: it could confirm nothing', async () => {
    const runId = await propose('With a new case', 38, confirmCase, {}, 11);
    await runs.execute(runId, (caseName, repetition) => repetition > 1 || caseName > 'case 2');
    await runs.judge(runId);
    const added = (await suiteRunsOf(runId)).filter(({ purpose }) => purpose === 'confirm');
    expect(added.map(({ variant, total }) => [variant, total])).toEqual([
      ['baseline', 50],
      ['candidate', 50],
    ]);
    const asked = await ledger.query<{ name: string }>(
      `select distinct case_name as name from ${leases} l where suite_run_id = $1`,
      [given(added[1]).id],
    );
    expect(asked.map(({ name }) => name)).not.toContain('case 11');
    expect(asked).toHaveLength(10);
  });

  it('is run again when somebody asks, once, and only while it is one', async () => {
    const runId = await propose('Manual', 43, 'gate: { alpha: 0.001, fdr: 0.001 }');
    await runs.execute(runId, shaky);
    await runs.judge(runId);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', verdict: 'suspected' });
    const candidate = given((await suiteRunsOf(runId)).find(({ variant }) => variant === 'candidate'));
    const confirm = () => confirmSuiteRun(ledger.database, tenant.caller, candidate.id);
    expect(await confirm()).toEqual({ ok: true, suiteRunId: candidate.id });
    expect(await runs.runOf(runId)).toMatchObject({ status: 'running', verdict: null, conclusion: null });
    expect(await confirm()).toMatchObject({ ok: false, error: { code: 'NOT_CONFIRMABLE' } });
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    expect(await runs.runOf(runId)).toMatchObject({
      status: 'completed',
      conclusion: expect.not.stringMatching('failure'),
    });
    expect(await confirm()).toMatchObject({ ok: false, error: { code: 'NOT_CONFIRMABLE' } });
  });

  it('of another tenant is not there', async () => {
    const other = await newTenant(ledger);
    const [row] = await ledger.query<{ id: string }>(`select id from test_suite_runs limit 1`);
    expect(await confirmSuiteRun(ledger.database, other.caller, given(row).id)).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND' },
    });
  });
});

it('a base that drifted from its history runs as often as the head before anything is judged', async () => {
  const text = suiteFile({ name: 'Drifting', cases: 6, repetitions: 3 });
  for (const commit of ['1', '2', '3', '4']) await runs.baseRun(sha(commit), text);
  const odd = suiteFile({ name: 'Drifting', cases: 6, repetitions: 3, instructions: 'Be odd.' });
  const runId = await runs.start({ trigger: { ...pull(44), headSha: sha('5'), baseSha: sha('4') }, text: odd });
  const sides = await suiteRunsOf(runId);
  expect(sides.map(({ variant, total }) => [variant, total])).toEqual([
    ['baseline', 6],
    ['candidate', 18],
  ]);
  await runs.execute(runId, () => false, { status: 'failed' });
  await runs.judge(runId);
  const drift = given((await suiteRunsOf(runId)).find(({ purpose }) => purpose === 'drift'));
  expect(drift).toMatchObject({ variant: 'baseline', status: 'pending', total: 12 });
  await runs.execute(runId, () => false, { status: 'failed' });
  await runs.judge(runId);
  const verdict = await runs.verdictOf(runId);
  expect(verdict.drift?.cases).toBe(6);
  expect(verdict.cases[0]?.base).toMatchObject({ planned: 3, failed: 3 });
  expect(verdict.word).not.toBe('regressed');
});

describe('stopping early', () => {
  it('ends a comparison that is certain, and says what was not needed', async () => {
    const text = suiteFile({ name: 'Certain', cases: 8, repetitions: 10 });
    await runs.baseRun(sha('6'), text);
    await runs.baseRun(sha('7'), text);
    const rude = suiteFile({ name: 'Certain', cases: 8, repetitions: 10, instructions: 'Be rude.' });
    const runId = await runs.start({ trigger: { ...pull(45), headSha: sha('8'), baseSha: sha('7') }, text: rude });
    await executeRounds(runId, 4);
    const stopped = await stopEarly(ledger.database);
    expect(stopped.finishedSuiteRuns.length).toBeGreaterThan(0);
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict).toMatchObject({ word: 'regressed', early: { rule: 'curtailment', round: 4, rounds: 10 } });
    const reasons = await ledger.query(
      `select distinct c.skip_reason from test_case_results c join test_suite_runs s on s.id = c.run_id
       where s.run_id = $1 and c.status = 'skipped'`,
      [runId],
    );
    expect(reasons).toEqual([{ skip_reason: 'early_stop' }]);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', conclusion: 'failure' });

    // Equal content on a new commit is as certain: nothing is asked again, not even what was not asked before.
    const again = await runs.start({ trigger: { ...pull(45), headSha: sha('9'), baseSha: sha('7') }, text: rude });
    await runs.judge(again);
    const { word, early, midp } = await runs.verdictOf(again);
    expect({ word, early, midp }).toEqual({ word: 'regressed', early: verdict.early, midp: verdict.midp });
    expect(await runs.runOf(again)).toMatchObject({ status: 'completed', conclusion: 'failure' });
    // On the base branch it would be what others are compared with, so all of it is measured.
    const merged = await runs.start({ trigger: { ...push, headSha: sha('b') }, text: rude });
    expect(await runs.runOf(merged)).toMatchObject({ status: 'pending' });
  });

  it('sequential suites begin a round when the one before is complete, and stop on pairs', async () => {
    const extra = 'gate: { stop: sequential }';
    await runs.baseRun(sha('9'), suiteFile({ name: 'Sequential', cases: 12, extra }));
    const rude = suiteFile({ name: 'Sequential', cases: 12, repetitions: 5, instructions: 'Be rude.', extra });
    const runId = await runs.start({ trigger: { ...pull(46), headSha: sha('a'), baseSha: sha('9') }, text: rude });
    const waiting = async () =>
      (await takeUnpublished(ledger.database, { pool: 'default', limit: 1_000 }))
        .filter((task) => task.runId === runId)
        .flatMap(({ payload }) => TaskMessage.parse(JSON.parse(payload)).turns.flat())
        .map(({ repetition }) => repetition);
    expect(new Set(await waiting())).toEqual(new Set([1]));
    await executeRounds(runId, 1, (caseName) => !['case 1', 'case 2'].includes(caseName));
    expect(await waiting()).toEqual([]);
    expect(await stopEarly(ledger.database)).toMatchObject({ looked: 1, finishedSuiteRuns: [] });
    expect(new Set(await waiting())).toEqual(new Set([2]));
    await executeRounds(runId, 2);
    expect((await stopEarly(ledger.database)).finishedSuiteRuns).toHaveLength(2);
    await runs.judge(runId);
    const { early, word } = await runs.verdictOf(runId);
    expect(word).toBe('regressed');
    expect(early).toMatchObject({ rule: 'e_value', round: 2, rounds: 5 });
    expect(early?.spentUsd).toBeCloseTo(0.048, 9);
    expect(early?.plannedUsd).toBeCloseTo(0.12, 9);
  });

  it('never ends good news, and never a run of the base branch', async () => {
    const runId = await propose('Good', 47, 'gate: { stop: sequential }');
    await executeRounds(runId, 4, () => true);
    for (let round = 1; round < 5; round++) expect((await stopEarly(ledger.database)).finishedSuiteRuns).toEqual([]);
    const open = (await suiteRunsOf(runId)).filter(({ variant }) => variant === 'candidate');
    expect(open).toMatchObject([{ status: 'running', early: null }]);
  });
});

describe('a budget', () => {
  it('ends what is open when it is spent, and the run is never green (D-16)', async () => {
    const runId = await propose('Dear', 48, '', { budgetUsd: 0.03 });
    await executeRounds(runId, 2, () => true);
    const finished = await enforceBudgets(ledger.database);
    expect(finished.map((one) => one.runId)).toEqual([runId, runId]);
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict.cutTestRuns).toBe(30);
    expect(verdict.conclusion).toBe('neutral');
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', conclusion: 'neutral' });
    expect(await enforceBudgets(ledger.database)).toEqual([]);
  });

  it('of tokens does the same, and one that is not reached does nothing', async () => {
    const cheap = await propose('Cheap', 49, '', { budgetUsd: 100, budgetTokens: 1_000_000 });
    await executeRounds(cheap, 1, () => true);
    expect(await enforceBudgets(ledger.database)).toEqual([]);
    const wordy = await propose('Wordy', 50, '', { budgetTokens: 100 });
    await executeRounds(wordy, 1, () => true);
    expect((await enforceBudgets(ledger.database)).map(({ runId }) => runId)).toEqual([wordy, wordy]);
  });
});

/** Runs what is queued up to a round; the head fails unless the test says otherwise. */
async function executeRounds(
  runId: string,
  rounds: number,
  passes: (caseName: string) => boolean = () => false,
): Promise<void> {
  await ledger.query(`update chunks set state = 'closed' where run_id = $1 and round > $2 and state = 'queued'`, [
    runId,
    rounds,
  ]);
  await runs.execute(runId, passes);
  await ledger.query(
    `update chunks set state = 'queued' where run_id = $1 and round > $2 and state = 'closed' and open_count > 0`,
    [runId, rounds],
  );
}
