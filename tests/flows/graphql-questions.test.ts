import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { askToStart, modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
const script = { wrong: '' };

const cells = [0, 0.3, 0.5, 0.7, 1].map((temperature) => `Temperature=${temperature}`);
const runs: string[] = [];

/** The rows of a page. */
const pageOf = <Row>(row: z.ZodType<Row>) =>
  z.object({ edges: z.array(z.object({ node: row })) }).transform(({ edges }) => edges.map(({ node }) => node));

/** Three cases in five cells, with what a reader of the base branch sees of them. */
const small = modelSuite({ cases: 3 });
const matrix = {
  ...small,
  files: small.files.map(({ path, text }) => ({
    path,
    text: text.replace('cases:', 'matrix: { Temperature: [0, 0.3, 0.5, 0.7, 1] }\ncases:'),
  })),
};

async function runOnMain(commit: string): Promise<void> {
  const trigger = {
    ...{ triggeredBy: 'CI', event: 'push', host: 'github.com', repositoryExternalId: '77' },
    ...{ ref: 'refs/heads/main', headSha: commit.repeat(40) },
  };
  const started = await askToStart(
    (query, variables = {}, token) => running.ask(query, { input: { ...Object(variables.input), trigger } }, token),
    matrix,
    randomUUID(),
  );
  const { run } = z.object({ run: z.object({ id: z.string() }) }).parse(started);
  await running.waitForEnd(run.id);
  runs.push(run.id);
}

beforeAll(async () => {
  const reply = ({ messages }: { messages: unknown }) =>
    script.wrong !== '' && JSON.stringify(messages).includes(script.wrong) ? 'I do not know.' : 'At 17.';
  running = await startRunningProduct({ rules: [{ reply }] });
  await running.rows(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
     select id, 'github.com', '77', '7', 'acme/shop', 'main' from tenants`,
  );
  await runOnMain('a');
  script.wrong = '(2)';
  await runOnMain('b');
}, 240_000);
afterAll(async () => await running?.[Symbol.asyncDispose]());

/** The queries of the page, as a reader copies them, each with what the page says that it costs. */
const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
const questions = [...page.matchAll(/Costs\s(\d+)[^`]*(?:`[^`]+`[^`]*)*?```graphql\n([\s\S]+?)```/g)].map(
  ([, cost, query = '']) => ({ cost: Number(cost), query }),
);

async function answer(at: number, variables: Record<string, unknown> = {}) {
  const question = questions[at];
  if (question === undefined) throw new Error(`The page has no question ${at + 1}`);
  const { data, errors, cost } = await running.ask(question.query, variables);
  expect(errors).toEqual([]);
  expect(cost).toEqual({ query: question.cost, limit: 5000 });
  return data ?? {};
}

test('D-15 from any result of a run a tool finds the suite and the history of its case', patient, async () => {
  const { data } = await running.ask(
    'query ($id: UUID!) { run(id: $id) { suiteRuns { suiteId cellKey testRuns(first: 1) { edges { node { testCaseId caseName } } } } } }',
    { id: runs[1] },
  );
  const Found = z.object({
    run: z.object({
      suiteRuns: z.array(
        z.object({
          suiteId: z.uuid(),
          testRuns: z.object({
            edges: z.array(z.object({ node: z.object({ testCaseId: z.uuid(), caseName: z.string() }) })),
          }),
        }),
      ),
    }),
  });
  const [suiteRun] = Found.parse(data).run.suiteRuns;
  const [found] = suiteRun?.testRuns.edges ?? [];
  const followed = await running.ask(
    'query ($suite: UUID!, $case: UUID!) { suite(id: $suite) { name } caseHistory(testCaseId: $case) { points { headSha } } }',
    { suite: suiteRun?.suiteId, case: found?.node.testCaseId },
  );
  expect(followed.errors).toEqual([]);
  expect(followed.data).toMatchObject({ suite: { name: 'Opening hours' } });
  const { points } = z.object({ points: z.array(z.unknown()) }).parse(followed.data?.caseHistory);
  expect(points.length).toBeGreaterThanOrEqual(2);
});

describe('the ten questions of the page about the API are answered as they are written', patient, () => {
  test('how the pass rate of a suite developed: all cells of its matrix, each point with its own', async () => {
    const Point = z.object({ cellKey: z.string(), passRate: z.number(), run: z.object({ headSha: z.string() }) });
    const Curve = z.object({ suites: pageOf(z.object({ history: pageOf(Point) })) });
    const [suite] = Curve.parse(await answer(0, { name: 'Opening hours' })).suites;
    const all = suite?.history ?? [];
    expect(all).toHaveLength(10);
    expect(all.slice(5).map(({ run }) => run.headSha)).toEqual(Array(5).fill('a'.repeat(40)));
    const sorted = all
      .slice(5)
      .map(({ cellKey }) => cellKey)
      .toSorted();
    expect(sorted).toEqual(cells);
    const ofCell = await running.ask(
      'query ($cell: String) { suites { edges { node { history(cellKey: $cell) { edges { node { cellKey passRate run { headSha } } } } } } } }',
      { cell: cells[1] },
    );
    const [only] = Curve.parse(ofCell.data).suites;
    expect(only?.history.map(({ cellKey, passRate }) => [cellKey, Math.round(passRate)])).toEqual([
      [cells[1], 67],
      [cells[1], 100],
    ]);
  });

  test('how every suite stands: the newest run of each cell, and the curve that led there', async () => {
    const Cell = z.object({ cellKey: z.string(), passRate: z.number() });
    const Curve = z.object({ cellKey: z.string(), suiteRuns: z.array(z.object({ passRate: z.number() })) });
    const Home = z.object({
      suites: pageOf(z.object({ name: z.string(), latest: z.array(Cell), curves: z.array(Curve) })),
    });
    const [suite] = Home.parse(await answer(5)).suites;
    expect(suite?.name).toBe('Opening hours');
    expect(suite?.latest.map(({ cellKey }) => cellKey).toSorted()).toEqual(cells);
    expect(suite?.latest.map(({ passRate }) => Math.round(passRate))).toEqual([67, 67, 67, 67, 67]);
    // Each cell has points of its own, the newest first; asked for one, each has one.
    const rates = suite?.curves.map(({ suiteRuns }) => suiteRuns.map(({ passRate }) => Math.round(passRate)));
    expect(rates).toEqual(cells.map(() => [67, 100]));
    const { data } = await running.ask(
      '{ suites { edges { node { curves(points: 1, cells: 3) { cellKey suiteRuns { id } } } } } }',
    );
    const Few = z.object({
      suites: pageOf(z.object({ curves: z.array(z.object({ suiteRuns: z.array(z.unknown()) })) })),
    });
    expect(Few.parse(data).suites[0]?.curves.map(({ suiteRuns }) => suiteRuns.length)).toEqual([1, 1, 1]);
  });

  test('what broke since yesterday: what the gate calls regressed, with the cases', async () => {
    const Broken = z.object({ suiteRuns: pageOf(z.object({ run: z.object({ id: z.string() }) })) });
    const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString();
    const { suiteRuns } = Broken.parse(await answer(6, { since: yesterday }));
    const { data } = await running.ask('query ($id: UUID!) { run(id: $id) { suiteRuns { verdictWord } } }', {
      id: runs[1],
    });
    const Words = z.object({ run: z.object({ suiteRuns: z.array(z.object({ verdictWord: z.string() })) }) });
    const regressed = Words.parse(data).run.suiteRuns.filter(({ verdictWord }) => verdictWord === 'REGRESSED');
    expect(suiteRuns.map(({ run }) => run.id)).toEqual(regressed.map(() => runs[1]));
  });

  test('what a branch has cost: its runs with their own test runs alone', async () => {
    const Cost = z.object({ runs: pageOf(z.object({ id: z.string(), head: z.object({ totalCases: z.int() }) })) });
    const found = Cost.parse(await answer(7, { repository: 'acme/shop', branch: 'main' })).runs;
    expect(found.map(({ id, head }) => [id, head.totalCases])).toEqual([
      [runs[1], 15],
      [runs[0], 15],
    ]);
    expect(Cost.parse(await answer(7, { repository: 'acme/shop', branch: 'other' })).runs).toEqual([]);
  });

  test('which cases fare worse with one value: the cells that have it, case by case', async () => {
    const Counts = z.object({ passed: z.int(), scored: z.int() });
    const Grid = z.object({
      suiteRuns: pageOf(
        z.object({ cell: z.unknown(), cases: pageOf(z.object({ caseName: z.string(), head: Counts })) }),
      ),
    });
    const found = Grid.parse(await answer(8, { suite: 'Opening hours', value: 0.5 })).suiteRuns;
    expect(found.map(({ cell }) => cell)).toEqual([{ Temperature: 0.5 }, { Temperature: 0.5 }]);
    const wrong = found[0]?.cases.find(({ caseName }) => caseName === 'Case 2');
    expect(wrong?.head.passed).toBe(0);
    expect(found[0]?.cases).toHaveLength(3);
  });

  test('what stands behind one result: suite, run, and how its case fared before', async () => {
    const { data } = await running.ask(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 1) { edges { node { id } } } } } }',
      { id: runs[1] },
    );
    const Ids = z.object({
      run: z.object({ suiteRuns: z.array(z.object({ testRuns: pageOf(z.object({ id: z.string() })) })) }),
    });
    const [suiteRun] = Ids.parse(data).run.suiteRuns;
    expect(await answer(9, { testRun: suiteRun?.testRuns[0]?.id })).toMatchObject({
      testRun: {
        suiteRun: { suiteName: 'Opening hours', run: { headSha: 'b'.repeat(40) } },
        testCase: { history: { edges: { length: 10 } } },
      },
    });
  });

  test('which cases fail in the last run', async () => {
    const failures = [{ caseName: 'Case 2', summary: 'contains_phrases: "17" missing', testRunId: expect.any(String) }];
    expect((await answer(1)).runs).toMatchObject({
      edges: [{ node: { id: runs[1], suiteRuns: expect.arrayContaining([expect.objectContaining({ failures })]) } }],
    });
  });

  test('what differs between two runs: every case of every cell, with answers and numbers', async () => {
    const { compare } = await answer(2, { base: runs[0], head: runs[1] });
    const { comparisons } = z
      .object({ comparisons: z.array(z.object({ cases: z.array(z.unknown()) })) })
      .parse(compare);
    expect(comparisons.map(({ cases }) => cases.length)).toEqual([3, 3, 3, 3, 3]);
  });

  test('which cases are flaky', async () => {
    expect(await answer(3)).toEqual({ flakyCases: [] });
  });

  test('what came of each cell of a matrix, test run by test run, with its checks, calls and metrics', async () => {
    const { run } = await answer(4, { run: runs[1] });
    const Cells = z.object({
      suiteRuns: z.array(z.object({ cellKey: z.string(), testRuns: z.object({ edges: z.array(z.unknown()) }) })),
    });
    const found = Cells.parse(run).suiteRuns;
    expect(found.map(({ cellKey }) => cellKey).toSorted()).toEqual(cells);
    expect(found.map(({ testRuns }) => testRuns.edges.length)).toEqual([3, 3, 3, 3, 3]);
  });
});

test('a request that asks for too much is refused with what it costs and what to do, and the answer says it too', async () => {
  const { errors, cost } = await running.ask(
    '{ runs(first: 100) { edges { node { suiteRuns { testRuns(first: 100) { edges { node { id } } } } } } } }',
  );
  expect(errors.map(({ message }) => message)).toEqual([
    `The query costs ${cost?.query}, the limit is 5000. Ask for fewer rows with \`first\`, or in several requests.`,
  ]);
});

test('a token with the scope for it may ask for ten times as much', async () => {
  const made = await running.ask(
    'mutation { createApiToken(input: { name: "nightly", scopes: [RUNS_READ, QUERIES_LARGE] }) { ... on CreateApiTokenSuccess { token } } }',
  );
  const { token } = z.object({ token: z.string() }).parse(made.data?.createApiToken);
  const pages =
    '{ runs(first: 100) { edges { node { suiteRuns { testRuns(first: 10) { edges { node { id } } } } } } } }';
  const { errors, cost } = await running.ask(pages, {}, token);
  expect([errors, cost?.limit]).toEqual([[], 50_000]);
  expect(cost?.query).toBeGreaterThan(5000);
});

test('an operation is priced by its name, and variables that do not fit are told without a price', async () => {
  const query = 'query Small { viewer { login } } query Large($n: Int!) { runs(first: $n) { edges { node { id } } } }';
  const ask = async (operationName: string, variables: object) => {
    const response = await fetch(`${running.product.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.product.token}` },
      body: JSON.stringify({ query, operationName, variables }),
    });
    return await response.json();
  };
  expect(await ask('Small', {})).toMatchObject({ extensions: { cost: { query: 1 } } });
  expect(await ask('Large', { n: 100 })).toMatchObject({ extensions: { cost: { query: 201 } } });
  const refused = await ask('Large', { n: 'many' });
  expect(refused).toMatchObject({ errors: [{ message: expect.stringContaining('$n') }] });
  expect(refused).not.toHaveProperty('extensions');
});
