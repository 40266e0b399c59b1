import { suiteCheck } from '@proofmark/domain/check-output';
import { describe, expect, it } from 'vitest';
import { asWorker, inTenant } from '../database/transactions.ts';
import { readRunReport } from '../feedback/read-run-report.ts';
import { given, newRepository, openStory, suiteFile } from '../story.fixture.ts';
import { trialsOf } from './collect-trials.ts';
import { type Executed, judgedRuns, pull, push, sha } from './judged-runs.fixture.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '5');

/** A forge whose history is a chain of commits, newest first. */
const forgeOf = (chain: readonly string[]) => ({
  mergeBase: () => Promise.resolve(chain[0] ?? null),
  ancestors: () => Promise.resolve([...chain]),
});

describe('the base that a suite is compared with', () => {
  const proposal = (number: number, commit: string) => ({ ...pull(number), headSha: sha(commit), baseSha: sha('f') });

  it('is the run of the merge base, and says so', async () => {
    const runs = judgedRuns(ledger, tenant, forgeOf([sha('1'), sha('0')]));
    const text = suiteFile({ name: 'Exact', cases: 3, repetitions: 3 });
    await runs.baseRun(sha('0'), text);
    await runs.baseRun(sha('1'), text);
    const runId = await runs.start({ trigger: proposal(31, 'a'), text });
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    expect((await runs.verdictOf(runId)).baseline).toEqual({ rung: 1, label: 'merge base' });
    const [row] = await ledger.query('select base_commit, base_ancestors from runs where id = $1', [runId]);
    expect(row).toEqual({ base_commit: sha('1'), base_ancestors: [sha('1'), sha('0')] });
  });

  it('is the nearest ancestor when the merge base was never run', async () => {
    const runs = judgedRuns(ledger, tenant, forgeOf([sha('5'), sha('4'), sha('3'), sha('2')]));
    const text = suiteFile({ name: 'Near', cases: 3, repetitions: 3 });
    await runs.baseRun(sha('2'), text);
    const runId = await runs.start({ trigger: proposal(32, 'b'), text });
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    expect((await runs.verdictOf(runId)).baseline).toEqual({ rung: 3, label: '3 commits older' });
  });

  it('proves nothing when it lies off the branch: a regression is shown as possible', async () => {
    const runs = judgedRuns(ledger, tenant, forgeOf([sha('7'), sha('6')]));
    await runs.baseRun(sha('8'), suiteFile({ name: 'Elsewhere', cases: 10, repetitions: 3 }));
    const text = suiteFile({ name: 'Elsewhere', cases: 10, repetitions: 3, instructions: 'Be rude.' });
    const runId = await runs.start({ trigger: proposal(33, 'c'), text });
    await runs.execute(runId, () => false);
    await runs.judge(runId);
    expect(await runs.verdictOf(runId)).toMatchObject({
      word: 'suspected',
      reason: 'old_base',
      conclusion: 'neutral',
      baseline: { rung: 4 },
    });
  });

  it('has at least four fifths of its cases scored', async () => {
    const runs = judgedRuns(ledger, tenant);
    const baselines = async () =>
      (
        await ledger.query(
          `select 1 from baselines b join test_suite_runs s on s.id = b.suite_run_id where s.suite_name = 'Broken base'`,
        )
      ).length;
    const text = suiteFile({ name: 'Broken base', cases: 5 });
    const broken = await runs.start({ trigger: { ...push, headSha: sha('9') }, text });
    await runs.execute(broken, () => true, { status: 'error', errorKind: 'judge', errorMessage: 'no answer' });
    await runs.judge(broken);
    expect(await baselines()).toBe(0);
    await runs.baseRun(sha('a'), text);
    expect(await baselines()).toBe(1);
  });
});

describe('what a newer coordinator has stored', () => {
  it('is judged and told by an older one, without what that does not know', async () => {
    const runs = judgedRuns(ledger, tenant);
    const runId = await runs.start({ trigger: pull(39), text: suiteFile({ name: 'Newer', cases: 2, repetitions: 2 }) });
    await ledger.query(
      `update test_suite_runs set settings = jsonb_set(settings, '{gate}', settings -> 'gate' || '{"newer": 1}') || '{"newer": 1}'
       where run_id = $1`,
      [runId],
    );
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    expect((await runs.verdictOf(runId)).settings).not.toHaveProperty('newer');
    await ledger.query(
      `update test_suite_runs set verdict_detail = jsonb_set(verdict_detail, '{cases,0,newer}', '1') || '{"newer": 1}'
       where run_id = $1`,
      [runId],
    );
    const places = { publicUrl: 'https://proofmark.example.com', forgeUrl: () => 'https://github.com' };
    const read = await inTenant(ledger.database, tenant.id, (em) => readRunReport(em.getKysely(), runId, places));
    expect(read?.report.suites.map(({ suiteName }) => suiteName)).toEqual(['Newer']);
  });
});

describe('what is kept of cases', () => {
  it('is one row per case and suite run, with every end in order', async () => {
    const runs = judgedRuns(ledger, tenant);
    const text = suiteFile({ name: 'Kept', cases: 2, repetitions: 4 });
    const runId = await runs.baseRun(sha('b'), text, (name, repetition) => name === 'case 2' || repetition % 2 === 0);
    const rows = await ledger.query(
      `select h.case_name, h.outcomes, h.is_base, h.is_history, h.tokens, h.cost_usd from case_summaries h
       join test_suite_runs s on s.id = h.suite_run_id where s.run_id = $1 order by 1`,
      [runId],
    );
    const shared = { is_base: true, is_history: true, tokens: 12, cost_usd: 0.001 };
    expect(rows).toEqual([
      { case_name: 'case 1', outcomes: 'fpfp', ...shared },
      { case_name: 'case 2', outcomes: 'pppp', ...shared },
    ]);
    await runs.judge(runId);
    expect(
      await ledger.query(
        'select 1 from case_summaries where suite_run_id in (select id from test_suite_runs where run_id = $1)',
        [runId],
      ),
    ).toHaveLength(2);
  });

  it('is bounded by the settings of the suite when it counts as history', async () => {
    const runs = judgedRuns(ledger, tenant);
    const base = suiteFile({ name: 'Bounded', cases: 2, repetitions: 4, extra: 'gate: { history_trials: 6 }' });
    for (const commit of ['c', 'd', 'e']) await runs.baseRun(sha(commit), base);
    const text = suiteFile({ name: 'Bounded', cases: 2, repetitions: 4, instructions: 'Be brief.' });
    const runId = await runs.start({ trigger: { ...pull(34), headSha: sha('f'), baseSha: sha('e') }, text });
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    const [row] = await ledger.query<{ trials: number }>(
      `select total_cases / 2 as trials from test_suite_runs where run_id = $1 and variant = 'baseline'`,
      [runId],
    );
    expect((await runs.verdictOf(runId)).cases[0]?.base?.passed).toBe(6 + Number(row?.trials));
  });
});

describe('cells of a matrix', () => {
  const matrix = 'matrix: { Temperature: [0, 0.5, 1] }';
  const inOneCell = ({ cellKey }: Executed) => cellKey === 'Temperature=0.5';

  it('are judged together when the last of them has ended, each against its own base cell', async () => {
    const runs = judgedRuns(ledger, tenant);
    await runs.baseRun(sha('1'), suiteFile({ name: 'Cells', cases: 10, repetitions: 3, extra: matrix }));
    const text = suiteFile({ name: 'Cells', cases: 10, repetitions: 3, extra: matrix, instructions: 'Be rude.' });
    const runId = await runs.start({ trigger: { ...pull(35), headSha: sha('2'), baseSha: sha('1') }, text });
    await runs.execute(runId, (caseName, _repetition, test) => !inOneCell(test) || caseName > 'case 5');
    expect(new Set(await runs.judge(runId))).toEqual(new Set(['done']));
    const verdicts = await runs.verdictsOf(runId);
    expect(verdicts.map(({ word }) => word)).toEqual(
      ['unchanged', 'regressed', 'unchanged'].map((word) =>
        word === 'unchanged' ? expect.stringMatching(/unchanged|inconclusive/) : word,
      ),
    );
    for (const { adjustedMidp, midp } of verdicts) expect(adjustedMidp).toBeGreaterThanOrEqual(midp ?? 1);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', verdict: 'regressed', conclusion: 'failure' });
  });
});

it('cases of one cluster are judged as one, by the tags of the suite', async () => {
  const runs = judgedRuns(ledger, tenant);
  const tagged = (instructions: string) =>
    suiteFile({
      name: 'Clustered',
      cases: 8,
      repetitions: 3,
      instructions,
      extra: 'gate: { cluster_by: "tag:topic:" }',
    }).replaceAll(
      /(name: case (\d+))/g,
      (_match, name: string, number: string) =>
        `${name}\n    tags: ["topic:${Number(number) <= 4 ? 'billing' : 'other'}"]`,
    );
  await runs.baseRun(sha('3'), tagged('Be kind.'));
  const [row] = await ledger.query(`select clusters from test_suite_runs where suite_name = 'Clustered'`);
  expect(row?.clusters).toMatchObject({ 'case 1': 'topic:billing', 'case 8': 'topic:other' });
  const runId = await runs.start({
    trigger: { ...pull(36), headSha: sha('4'), baseSha: sha('3') },
    text: tagged('Be odd.'),
  });
  await runs.execute(runId, (caseName, repetition) => caseName > 'case 2' || repetition > 1);
  await runs.judge(runId);
  const { ciLoPoints, diffPoints } = await runs.verdictOf(runId);
  // Two clusters leave one degree of freedom: the interval says that two topics are next to nothing.
  expect(ciLoPoints).toBeLessThan((diffPoints ?? 0) - 50);
});

it('tells a failed case of a row at the line of the row, and any other at its own', async () => {
  const runs = judgedRuns(ledger, tenant);
  const suite = suiteFile({
    name: 'Rows',
    cases: 1,
    extra: `cases_from:
  file: data/rows.csv
  case: { input: "{{question}}", expected_behavior: { checks: [{ type: contains_phrases, phrases: [yes] }] } }`,
  });
  // The question of the first row has a line break.
  const data = 'id,question\nlate,"Where is\nmy parcel?"\nbroken,It broke\nopen,When?\n';
  const runId = await runs.start({
    trigger: { ...pull(37), headSha: sha('6') },
    text: [
      { path: 'a.suite.yaml', text: suite },
      { path: 'data/rows.csv', text: data },
    ],
  });
  await runs.execute(runId, (caseName) => caseName === 'late');
  await runs.judge(runId);
  const addresses = { publicUrl: 'https://proofmark.example.com', forgeUrl: () => 'https://github.com' };
  const reading = await inTenant(ledger.database, tenant.id, (em) => readRunReport(em.getKysely(), runId, addresses));
  if (reading === null) throw new Error('The run is not there');
  const { report } = reading;
  const [of] = report.suites;
  const places = suiteCheck(report, given(of)).annotations.map(({ path, line }) => `${path}:${line}`);
  const own = suite.split('\n').findIndex((text) => text.includes('name: case 1')) + 1;
  expect(places.toSorted()).toEqual([`a.suite.yaml:${own}`, 'data/rows.csv:4', 'data/rows.csv:5']);
});

it('reads every trial of a suite run, each once and in suite order, however many parts it reads them in', async () => {
  const runs = judgedRuns(ledger, tenant);
  const runId = await runs.start({ trigger: push, text: suiteFile({ name: 'Often', cases: 4 }) });
  await runs.execute(runId, () => true);
  const [suiteRun] = await ledger.query<{ id: string }>('select id from test_suite_runs where run_id = $1', [runId]);
  const { id } = given(suiteRun);
  // Enough for two parts and a bit, copied as further repetitions.
  await ledger.query(
    `insert into test_case_results (tenant_id, id, run_id, test_case_id, status, case_name, case_key, case_hash, instrument_hash,
       sort_order, repetition, variant, latency_ms)
     select c.tenant_id, gen_random_uuid(), c.run_id, c.test_case_id, c.status, c.case_name, c.case_key, c.case_hash,
       c.instrument_hash, c.sort_order, n, c.variant, n
     from test_case_results c cross join generate_series(2, 2600) n where c.run_id = $1`,
    [id],
  );
  // What few have: another measure, no number, an error with its reason.
  await ledger.query(
    `update test_case_results set instrument_hash = case when case_name = 'case 3' then 'of its own' else instrument_hash end,
       latency_ms = case when repetition % 2 = 0 then repetition + 0.25 end,
       status = case when case_name = 'case 2' and repetition = 7 then 'error' else status end,
       error_kind = case when case_name = 'case 2' and repetition = 7 then 'agent' end,
       error_message = case when case_name = 'case 2' and repetition = 7 then 'No answer, "again"' end
     where run_id = $1`,
    [id],
  );
  const trials = await asWorker(ledger.database, (em) => trialsOf(em, tenant.id, id));
  const names = ['case 1', 'case 2', 'case 3', 'case 4'];
  const rounds = Array.from({ length: 2600 }, (_, index) => index + 1);
  expect(trials.map(({ caseName, repetition }) => `${caseName} ${repetition}`)).toEqual(
    names.flatMap((name) => rounds.map((round) => `${name} ${round}`)),
  );
  expect(new Set(trials.map(({ comparabilityKey }) => comparabilityKey)).size).toBe(names.length);
  const ofItsOwn = trials.filter(({ comparabilityKey }) => comparabilityKey.includes('"of its own"'));
  expect(new Set(ofItsOwn.map(({ caseName }) => caseName))).toEqual(new Set(['case 3']));
  expect(ofItsOwn).toHaveLength(rounds.length);
  expect(trials[7]).toMatchObject({ status: 'passed', errorKind: null, latencyMs: 8.25 });
  expect(trials[2600 + 6]).toMatchObject({
    ...{ caseName: 'case 2', repetition: 7, status: 'error', errorKind: 'agent', latencyMs: null },
    errorMessage: 'No answer, "again"',
  });
  await ledger.query('delete from test_case_results where run_id = $1 and repetition > 1', [id]);
});
