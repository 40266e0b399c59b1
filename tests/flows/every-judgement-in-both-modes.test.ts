import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseOutcome as Outcome } from '@proofmark/contracts/case-outcome';
import { checkTypes } from '@proofmark/contracts/checks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { filesOf } from '../docs/load-page.ts';
import { pages } from '../docs/pages.ts';
import { everyMetric, everyMetricRules } from '../judging/every-metric.ts';
import type { Rule } from '../stack/model/rules.ts';
import { runInProcess } from './run-in-process.ts';
import { patient, type RunningProduct, type Suite, startRunningProduct } from './running-product.ts';

const lamp = 'The lamp costs 49.90 euro.';
/** The agents of the page, before the judge, whose rules are for everybody. */
const ofThePage: Rule[] = [
  {
    when: { user: 'What does the lamp cost', system: 'You tell prices' },
    toolCalls: [{ name: 'get_price', arguments: {} }],
    reply: JSON.stringify({ says: lamp, items: [{ price: 49.9 }] }),
  },
  { when: { user: 'Is the lamp in stock', system: 'You tell prices' }, reply: 'Yes, two of them.' },
];

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct({ rules: [...ofThePage, ...everyMetricRules], runners: 2 });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const here = () => ({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: running.model.url });

const Answer = z.object({
  run: z.object({
    suiteRuns: z.array(z.object({ testRuns: z.object({ edges: z.array(z.object({ node: z.unknown() })) }) })),
  }),
});
const Node = z.object({ outcome: Outcome, progress: z.array(z.object({ state: z.string() })) });

/** The outcomes of a run on the coordinator, in the order of the suite. */
async function runThere(suite: Suite) {
  const id = await running.start(suite);
  await running.waitForEnd(id);
  const { data, errors } = await running.ask(
    `query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 9) { edges { node { outcome progress { state atMs } } } } } } }`,
    { id },
  );
  expect(errors).toEqual([]);
  const [suiteRun] = Answer.parse(data).run.suiteRuns;
  return (suiteRun?.testRuns.edges ?? []).map(({ node }) => Node.parse(node));
}

/** What was judged, without times. */
const judged = ({ status, checks, metrics, metricDetails, tools, outcomes, progress = [] }: CaseOutcome) => ({
  ...{ status, checks, tools, outcomes },
  metricDetails: metricDetails.map(({ progressAtMs: _times, ...detail }) => detail),
  metrics: metrics.map(({ evaluation_time_ms: _time, ...metric }) => metric),
  progress: progress.map(({ state }) => state),
});

test('every metric is the same on a runner as in this process', patient, async () => {
  const suite = everyMetric(running.model.url);
  const local = await runInProcess(suite, here());
  const remote = await runThere({ ...suite, files: suite.files.map(withoutAddress) });
  expect(remote.map(({ outcome }) => judged(outcome))).toEqual(local.map(({ outcome }) => judged(outcome)));
  expect(remote.map(({ outcome }) => outcome.metrics.length)).toEqual([24, 2]);
});

test('S0-121 S0-122 S0-123 C21 GraphQL tells the states that a test run went through', patient, async () => {
  const [first] = await runThere(pageSuite());
  expect(first?.progress.map(({ state }) => state)).toEqual([
    ...['PENDING', 'PROCESSING_FILES', 'FILES_READY', 'EXECUTING_AGENT', 'AGENT_COMPLETE', 'EVALUATING', 'COMPLETE'],
  ]);
});

test('every check of the page passes, on a runner as in this process', patient, async () => {
  const suite = pageSuite();
  const local = (await runInProcess(suite, here())).map(({ outcome }) => outcome);
  expect(local.map(({ status, checks }) => [status, checks.filter(({ passed }) => !passed).length])).toEqual([
    ['passed', 0],
    ['passed', 1],
  ]);
  const used = local.flatMap(({ checks }) => checks.map(({ checkType }) => checkType));
  expect(new Set(used)).toEqual(new Set(checkTypes.filter((type) => !ownChecks.includes(type))));
  expect((await runThere(suite)).map(({ outcome }) => judged(outcome))).toEqual(local.map(judged));
});

/** Those that need a file, a program or a service of their own are in checks-in-code. */
const ownChecks: readonly string[] = ['code', 'command', 'http'];

/** What docs/suite-file.md shows of checks, with the models of its proofmark.yaml. */
function pageSuite(): Suite {
  const page = pages.find(({ path }) => path === 'docs/suite-file.md');
  const files = page === undefined ? new Map<string, string>() : filesOf(page);
  const project = files.get('proofmark.yaml')?.replace(/^coordinator: .*\n/m, '') ?? '';
  return {
    suitePaths: ['evals/checks.suite.yaml'],
    projectPath: 'proofmark.yaml',
    files: [
      { path: 'proofmark.yaml', text: project },
      { path: 'evals/checks.suite.yaml', text: files.get('evals/checks.suite.yaml') ?? '' },
    ],
  };
}

/** A runner calls the address of its own environment. */
const withoutAddress = ({ path, text }: Suite['files'][number]) => ({
  path,
  text: text.replaceAll(/, base_url: "[^"]*"/g, ''),
});
