import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { askToStart, modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
let asked = 0;
/** What the scripted agent answers to a case; the flaky one alternates. */
const script = { wrong: '' };

beforeAll(async () => {
  const reply = ({ messages }: { messages: unknown }) => {
    const text = JSON.stringify(messages);
    if (text.includes('(1)')) return asked++ % 2 === 0 ? 'At 17.' : 'Maybe later.';
    return script.wrong !== '' && text.includes(script.wrong) ? 'I do not know.' : 'At 17.';
  };
  // No loop repairs the broker while these tests run: whoever needs a consumer has to make it.
  const coordinatorEnv = { PROOFMARK_TOPOLOGY_MS: '600000', PROOFMARK_REPUBLISH_MS: '600000' };
  running = await startRunningProduct({ rules: [{ reply }], coordinatorEnv });
  await running.rows(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
     select id, 'github.com', '77', '7', 'acme/shop', 'main' from tenants`,
  );
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const sha = (letter: string) => letter.repeat(40);
const unpriced = modelSuite({ cases: 4, repetitions: 6 });
const suite = {
  ...unpriced,
  files: unpriced.files.map(({ path, text }) => ({
    path,
    text: text.replace('model: scripted }', 'model: scripted, price: { input: 1, output: 1 } }'),
  })),
};

async function run(trigger: object): Promise<string> {
  const started = await askToStart(
    (query, variables = {}, token) => {
      const input = { ...(variables.input as object), trigger }; // The one variable of the mutation.
      return running.ask(query, { input }, token);
    },
    suite,
    randomUUID(),
  );
  expect(started).toMatchObject({ __typename: 'StartRunSuccess' });
  const { id } = (started as { run: { id: string } }).run; // Matched one line above.
  await running.waitForEnd(id);
  return id;
}

const push = (commit: string) => ({
  triggeredBy: 'CI',
  event: 'push',
  host: 'github.com',
  repositoryExternalId: '77',
  ref: 'refs/heads/main',
  headSha: sha(commit),
});

async function answer(query: string, variables: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { data, errors } = await running.ask(query, variables);
  expect(errors).toEqual([]);
  return data ?? {};
}

/**
 * What settled a suspicion is part of what the run cost, and of what its suite run cost on each side; so is what was under way
 * when a regression was certain, and came too late to count.
 */
async function costsOf(runId: string): Promise<void> {
  const spent = await running.rows<{ variant: string; purpose: string; usd: number }>(
    `select s.variant, s.purpose, sum(c.usd)::float8 as usd from test_suite_runs s
     join (select run_id, spent_usd as usd from test_case_results union all select suite_run_id, cost_usd from attempt_usage) c
       on c.run_id = s.id
     where s.run_id = $1 group by s.variant, s.purpose`,
    [runId],
  );
  const sum = (of: typeof spent) => of.reduce((total, { usd }) => total + usd, 0);
  const { run: told } = await answer(
    'query ($id: UUID!) { run(id: $id) { costUsd feedback { costUsd comment } suiteRuns { variant purpose costUsd } } }',
    { id: runId },
  );
  const { costUsd, feedback, suiteRuns } = Told.parse(told);
  expect(spent).toHaveLength(4);
  expect([costUsd, feedback.costUsd]).toEqual([expect.closeTo(sum(spent), 9), expect.closeTo(sum(spent), 9)]);
  expect(feedback.comment).toMatch(/test runs in [^,]+, \$0\.00\d\d/);
  for (const { variant, purpose, costUsd: own } of suiteRuns) {
    const side = spent.filter((one) => one.variant === variant.toLowerCase());
    const counted = purpose === 'FIRST' ? side : side.filter((one) => one.purpose === 'confirm');
    expect([variant, purpose, own]).toEqual([variant, purpose, expect.closeTo(sum(counted), 9)]);
  }
}

const Told = z.object({
  costUsd: z.number(),
  feedback: z.object({ costUsd: z.number(), comment: z.string() }),
  suiteRuns: z.array(z.object({ variant: z.string(), purpose: z.string(), costUsd: z.number() })),
});

async function idsOf(
  runId: string,
): Promise<{ suiteRunId: string; suiteId: string; caseId: (name: string) => string }> {
  const [suiteRun] = await running.rows<{ id: string; suite_id: string }>(
    `select id, suite_id from test_suite_runs where run_id = $1 and variant <> 'baseline' and purpose = 'first'`,
    [runId],
  );
  const cases = await running.rows<{ id: string; name: string }>(
    'select id, name from test_cases where suite_id = $1',
    [suiteRun?.suite_id],
  );
  return {
    suiteRunId: suiteRun?.id ?? '',
    suiteId: suiteRun?.suite_id ?? '',
    caseId: (name) => cases.find((one) => one.name === name)?.id ?? '',
  };
}

describe('what the database remembers', patient, () => {
  let first: string;
  let second: string;
  beforeAll(async () => {
    first = await run(push('a'));
    script.wrong = '(2)';
    second = await run(push('b'));
  }, 60_000);

  test('two suite runs are held side by side, with numbers, answers and calls of each case', async () => {
    const [base, head] = [await idsOf(first), await idsOf(second)];
    const { comparison } = await answer(
      `query ($base: UUID!, $head: UUID!) { comparison(baseSuiteRunId: $base, headSuiteRunId: $head) {
        base { id } head { id } verdict { word flagged midp }
        tokens { base { mean } head { p95 } diff diffLo diffHi }
        cases(first: 2) { caseName base { passed scored status answer tools } head { passed status answer } p adjustedP probabilityWorse answerChanged toolsChanged }
      } }`,
      { base: base.suiteRunId, head: head.suiteRunId },
    );
    expect(comparison).toMatchObject({
      base: { id: base.suiteRunId },
      verdict: { word: 'REGRESSED', flagged: ['Case 2'], midp: expect.any(Number) },
      tokens: { base: { mean: expect.any(Number) }, diff: expect.any(Number), diffLo: expect.any(Number) },
    });
    expect((comparison as { cases: unknown[] }).cases[0]).toEqual({
      caseName: 'Case 2',
      base: { passed: 6, scored: 6, status: 'PASSED', answer: 'At 17.', tools: [] },
      head: { passed: 0, status: 'FAILED', answer: 'I do not know.' },
      p: expect.closeTo(1 / 924, 6),
      adjustedP: expect.closeTo(4 / 924, 6),
      probabilityWorse: expect.closeTo(1, 2),
      answerChanged: true,
      toolsChanged: false,
    });
  });

  test('two cells of a matrix are compared although their settings differ, and the same cell with another setting is not', async () => {
    const [base, head] = [await idsOf(first), await idsOf(second)];
    const place = async (cell: string, setting: string) =>
      running.rows('update test_suite_runs set cell_key = $2, setting_key = $3 where id = $1', [
        ...[head.suiteRunId, cell, setting],
      ]);
    const [before] = await running.rows<{ cell_key: string; setting_key: string }>(
      'select cell_key, setting_key from test_suite_runs where id = $1',
      [head.suiteRunId],
    );
    const compared = async () => {
      const { comparison } = await answer(
        `query ($base: UUID!, $head: UUID!) { comparison(baseSuiteRunId: $base, headSuiteRunId: $head) {
          verdict { word } cases(first: 1) { notComparable changedParts } } }`,
        { base: base.suiteRunId, head: head.suiteRunId },
      );
      return comparison;
    };
    await place('Temperature=1', '{"Temperature":1}');
    expect(await compared()).toEqual({
      verdict: { word: 'REGRESSED' },
      cases: [{ notComparable: false, changedParts: [] }],
    });
    await place(before?.cell_key ?? '', '{"AIConfiguration":"other"}');
    expect(await compared()).toEqual({
      verdict: { word: 'NO_BASELINE' },
      cases: [{ notComparable: true, changedParts: ['ai_configuration'] }],
    });
    await place(before?.cell_key ?? '', before?.setting_key ?? '{}');
  });

  test('two runs are held side by side, suite by suite, each cell with what it says against its own baseline', async () => {
    const { compare } = await answer(
      `query ($base: UUID!, $head: UUID!) { compare(base: $base, head: $head) {
        comparisons { base { verdict { word baselineLabel } } head { suiteName verdict { word baselineLabel } } verdict { word } } onlyBase { id } onlyHead { id } } }`,
      { base: first, head: second },
    );
    expect(compare).toEqual({
      comparisons: [
        {
          base: { verdict: { word: 'NO_BASELINE', baselineLabel: null } },
          head: { suiteName: 'Opening hours', verdict: { word: 'REGRESSED', baselineLabel: expect.any(String) } },
          verdict: { word: 'REGRESSED' },
        },
      ],
      onlyBase: [],
      onlyHead: [],
    });
    const none = await answer(
      '{ compare(base: "00000000-0000-4000-8000-000000000000", head: "00000000-0000-4000-8000-000000000000") { onlyBase { id } } }',
    );
    expect(none).toEqual({ compare: null });
  });

  test('a suite has a curve and a case has a history with its last change', async () => {
    const { suiteId, caseId } = await idsOf(second);
    const { passRateHistory } = await answer(
      'query ($suiteId: UUID!) { passRateHistory(suiteId: $suiteId, onlyBase: true) { headSha passRate isBase } }',
      { suiteId },
    );
    expect(passRateHistory).toMatchObject([
      { headSha: sha('a'), passRate: expect.closeTo(87.5, 6), isBase: true },
      { headSha: sha('b'), passRate: expect.closeTo(62.5, 6) },
    ]);
    const { caseHistory } = await answer(
      `query ($id: UUID!) { caseHistory(testCaseId: $id, onlyBase: true) {
        points { headSha passed failed errored } flakiness isQuarantined lastChange { headSha } } }`,
      { id: caseId('Case 2') },
    );
    expect(caseHistory).toEqual({
      points: [
        { headSha: sha('b'), passed: 0, failed: 6, errored: 0 },
        { headSha: sha('a'), passed: 6, failed: 0, errored: 0 },
      ],
      flakiness: 1,
      isQuarantined: true,
      lastChange: { headSha: sha('b') },
    });
  });

  test('the cases that pass and fail by themselves are listed, the shakiest first', async () => {
    const { flakyCases } = await answer('{ flakyCases { caseName suiteName passed scored flakiness cellKey } }');
    const flaky = { suiteName: 'Opening hours', passed: 6, scored: 12, flakiness: 1, cellKey: '' };
    expect(flakyCases).toEqual([
      { caseName: 'Case 1', ...flaky },
      { caseName: 'Case 2', ...flaky },
    ]);
  });

  test('only a suspicion can be confirmed', async () => {
    const { suiteRunId } = await idsOf(second);
    const confirm = async (id: string) =>
      (
        await answer(
          'mutation ($id: UUID!) { confirmSuiteRun(id: $id) { __typename ... on UserError { code message } } }',
          { id },
        )
      ).confirmSuiteRun;
    expect(await confirm(suiteRunId)).toEqual({
      __typename: 'NotConfirmable',
      code: 'NOT_CONFIRMABLE',
      message: 'Only a suspicion can be confirmed',
    });
    expect(await confirm(randomUUID())).toMatchObject({ __typename: 'NotFound' });
  });

  test('a suspicion of a pull request is run again by hand, and the run ends a second time', async () => {
    script.wrong = '(3)';
    const proposal = {
      ...push('c'),
      event: 'pull_request',
      ref: 'refs/pull/5/merge',
      pullRequest: 5,
      baseSha: sha('b'),
    };
    const runId = await run(proposal);
    const { suiteRunId } = await idsOf(runId);
    await running.rows(`update test_suite_runs set verdict = 'suspected' where id = $1 and verdict is not null`, [
      suiteRunId,
    ]);
    const { confirmSuiteRun } = await answer(
      'mutation ($id: UUID!) { confirmSuiteRun(id: $id) { __typename ... on ConfirmSuiteRunSuccess { run { id status } } } }',
      { id: suiteRunId },
    );
    expect(confirmSuiteRun).toEqual({ __typename: 'ConfirmSuiteRunSuccess', run: { id: runId, status: 'RUNNING' } });
    await running.waitForEnd(runId);
    const { run: ended } = await answer(
      'query ($id: UUID!) { run(id: $id) { status suiteRuns { variant purpose status } } }',
      { id: runId },
    );
    expect(ended).toMatchObject({ status: 'COMPLETED' });
    expect(
      (ended as { suiteRuns: { purpose: string; status: string }[] }).suiteRuns.filter(
        ({ purpose }) => purpose === 'CONFIRM',
      ),
    ).toMatchObject([{ status: 'COMPLETED' }, { status: 'COMPLETED' }]);
    await vi.waitFor(() => costsOf(runId), { timeout: 10_000 });
  });
});
