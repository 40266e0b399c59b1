import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { patient, type RunningProduct, type Suite, startRunningProduct } from './running-product.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const path = 'evals/desk.suite.yaml';

/** A scripted agent that always says "nine", judged by what text comparison can see. */
const desk = (instructions: string, tool: string, repetitions = 1): Suite => ({
  files: [
    {
      path,
      text: `name: Desk
agent:
  name: Desk
  instructions: ${instructions}
  tools: [{ name: ${tool}, description: Looks it up }]
  driver: { type: scripted, replies: [{ reply: nine }] }
evaluations: { metrics: [{ metric: equality, threshold: 1 }, { metric: f1, scale: 5 }] }
repetitions: ${repetitions}
cases:
  - { name: Right, difficulty: hard, input: When do you open?, ground_truth: nine }
  - { name: Wrong, input: When do you close?, ground_truth: ten }
`,
    },
  ],
  suitePaths: [path],
});

const LongReport = z.object({
  run: z.object({
    suiteRuns: z.array(
      z.object({
        report: z.object({ results: z.array(z.object({ test_name: z.string() })) }),
        failures: z.array(z.unknown()),
      }),
    ),
  }),
});

const Answer = z.object({
  run: z.object({
    suiteRuns: z.array(
      z.object({
        agentSnapshot: z.object({ systemPrompt: z.string(), tools: z.unknown(), contentHash: z.string() }),
        report: z.object({ summary: z.unknown() }),
        testRuns: z.object({ edges: z.array(z.object({ node: z.unknown() })) }),
      }),
    ),
  }),
});

/** The same with a case behind them that passes. */
function threeCases(repetitions: number): Suite {
  const suite = desk('Be kind.', 'get_hours', repetitions);
  const further = '  - { name: Again, input: And on Sundays?, ground_truth: nine }\n';
  return { ...suite, files: suite.files.map((file) => ({ ...file, text: `${file.text}${further}` })) };
}

async function read(runId: string) {
  const { data, errors } = await running.ask(
    `query ($id: UUID!) { run(id: $id) { suiteRuns { report agentSnapshot { systemPrompt tools contentHash }
       testRuns { edges { node { caseName metricsPassed metricsTotal metricResults { metricName score scale passed } } } } } } }`,
    { id: runId },
  );
  expect(errors).toEqual([]);
  const [suiteRun] = Answer.parse(data).run.suiteRuns;
  if (suiteRun === undefined) throw new Error('The run has no suite run');
  return { ...suiteRun, testRuns: suiteRun.testRuns.edges.map(({ node }) => node) };
}

test('S0-54 S0-58 S0-86 S0-87 each test run tells its metrics by name and how many of them passed', async () => {
  const runId = await running.start(desk('Be kind.', 'get_hours'));
  await running.waitForEnd(runId);
  const equality = { metricName: 'equality', scale: null };
  const f1 = { metricName: 'f1', scale: 5 };
  expect((await read(runId)).testRuns).toEqual([
    {
      caseName: 'Right',
      metricsPassed: 2,
      metricsTotal: 2,
      metricResults: [
        { ...equality, score: 1, passed: true },
        { ...f1, score: 5, passed: true },
      ],
    },
    {
      caseName: 'Wrong',
      metricsPassed: 0,
      metricsTotal: 2,
      metricResults: [
        { ...equality, score: 0, passed: false },
        { ...f1, score: 0, passed: false },
      ],
    },
  ]);
});

test('S0-120 the report is computed from the results: another result is another summary', async () => {
  const runId = await running.start(desk('Be kind.', 'get_hours'));
  await running.waitForEnd(runId);
  expect((await read(runId)).report.summary).toMatchObject({ total_tests: 2, passed: 1, failed: 1, pass_rate: 50 });
  await running.rows(
    `update test_case_results set status = 'failed' where case_name = 'Right' and run_id in (select id from test_suite_runs where run_id = $1)`,
    [runId],
  );
  expect((await read(runId)).report.summary).toMatchObject({ total_tests: 2, passed: 0, failed: 2, pass_rate: 0 });
});

test(
  'P13 the report of more results than are read at once has each of them, in the order of the suite',
  patient,
  async () => {
    const repetitions = 70;
    const runId = await running.start(threeCases(repetitions));
    await running.waitForEnd(runId, 200_000);
    const { data } = await running.ask(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { report failures { result caseName repetition } } } }',
      { id: runId },
    );
    const { report, failures } = LongReport.parse(data).run.suiteRuns[0] ?? { report: { results: [] }, failures: [] };
    const ofEach = (name: string) => Array.from({ length: repetitions }, () => name);
    expect(report.results.map(({ test_name }) => test_name)).toEqual(['Right', 'Wrong', 'Again'].flatMap(ofEach));
    expect(failures).toEqual(
      ofEach('Wrong').map((caseName, at) => ({ result: repetitions + at, caseName, repetition: at + 1 })),
    );
  },
);

test('S1-04 S0-03 S0-04 a run keeps the prompt and the tools that it was executed with, whatever they become later', async () => {
  const first = await running.start(desk('Be kind.', 'get_hours'));
  const second = await running.start(desk('Be brief.', 'get_times'));
  for (const runId of [first, second]) await running.waitForEnd(runId);
  const { agentSnapshot: before } = await read(first);
  const { agentSnapshot: after } = await read(second);
  expect(before).toMatchObject({ systemPrompt: 'Be kind.', tools: [{ name: 'get_hours' }] });
  expect(after).toMatchObject({ systemPrompt: 'Be brief.', tools: [{ name: 'get_times' }] });
  expect(after.contentHash).not.toBe(before.contentHash);
});
