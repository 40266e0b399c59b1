import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
const answers = { text: 'At 17.' };

beforeAll(async () => {
  running = await startRunningProduct({ rules: [{ reply: () => answers.text }] });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const Node = z.object({ id: z.string(), passRate: z.number().nullable(), runId: z.string() });
const Suites = z.object({
  suites: z.object({
    edges: z.array(
      z.object({
        node: z.object({
          id: z.string(),
          name: z.string(),
          caseCount: z.int(),
          history: z.object({ edges: z.array(z.object({ node: Node })) }),
        }),
      }),
    ),
  }),
});

test('D-15 the history of a suite shows how its pass rate developed, newest first, and any two of its runs can be compared', async () => {
  for (const text of ['At 17.', 'I do not know.', 'At 17.']) {
    answers.text = text;
    await running.waitForEnd(await running.start(modelSuite({ cases: 4, repetitions: 3 })));
  }
  const { data, errors } = await running.ask(
    '{ suites { edges { node { id name caseCount history(first: 10) { edges { node { id runId passRate } } } } } } }',
  );
  expect(errors).toEqual([]);
  const [suite] = Suites.parse(data).suites.edges.map(({ node }) => node);
  expect(suite).toMatchObject({ name: 'Opening hours', caseCount: 4 });
  const history = suite?.history.edges.map(({ node }) => node) ?? [];
  expect(history.map(({ passRate }) => passRate)).toEqual([100, 0, 100]);

  const compare = async (baseId: string | undefined, headId: string | undefined) =>
    (
      await running.ask(
        'query ($baseId: UUID!, $headId: UUID!) { compareSuiteRuns(baseId: $baseId, headId: $headId) { word basePassRate headPassRate diffPoints } }',
        {
          baseId,
          headId,
        },
      )
    ).data?.compareSuiteRuns;
  expect(await compare(history[2]?.id, history[1]?.id)).toEqual({
    word: 'REGRESSED',
    basePassRate: 100,
    headPassRate: 0,
    diffPoints: -100,
  });
  expect(await compare(history[1]?.id, history[0]?.id)).toMatchObject({ word: 'IMPROVED', diffPoints: 100 });
  expect(await compare('00000000-0000-4000-8000-000000000000', history[0]?.id)).toBeNull();
});

test('a run without a forge has nothing to report', async () => {
  const runId = await running.start(modelSuite());
  const { data, errors } = await running.ask(
    'query ($id: UUID!) { run(id: $id) { reporting { kind state reason } } }',
    { id: runId },
  );
  expect([data, errors]).toEqual([{ run: { reporting: [] } }, []]);
});
