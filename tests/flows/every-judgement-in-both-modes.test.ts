import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { checkTypes } from '@proofmark/contracts/checks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { filesOfReference } from '../docs/load-page.ts';
import { everyMetric, everyMetricRules } from '../judging/every-metric.ts';
import type { Rule } from '../stack/model/rules.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { type BothModes, openBothModes, type Story } from './both-modes.ts';
import { patient, type Suite } from './running-product.ts';

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

const secret = 'judge-secret-0123456789';
const allowed = { PROOFMARK_ALLOW_COMMAND_AGENTS: '1' };

let world: BothModes;
let judge: Awaited<ReturnType<typeof startJudge>>;
beforeAll(async () => {
  judge = await startJudge();
  world = await openBothModes({
    runners: 2,
    coordinatorEnv: allowed,
    keys: {
      ...{ JUDGE_SECRET: secret, PROOFMARK_KEY_ENVS: 'OPENAI_API_KEY,JUDGE_SECRET' },
      PROOFMARK_KEY_ORIGINS: `JUDGE_SECRET=${judge.url}`,
    },
    runnerEnv: { ...allowed, ...(process.getuid?.() === 0 ? {} : { PROOFMARK_COMMAND_AGENTS_SHARE_KEYS: '1' }) },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await judge?.[Symbol.asyncDispose]();
});

const storyOf = (suite: Suite): Story => ({ suite, rules: () => [...ofThePage, ...everyMetricRules] });

/** What was judged, without times. */
const judged = ({ status, checks, metrics, metricDetails, tools, outcomes, progress = [] }: CaseOutcome) => ({
  ...{ status, checks, tools, outcomes },
  metricDetails: metricDetails.map(({ progressAtMs: _times, ...detail }) => detail),
  metrics: metrics.map(({ evaluation_time_ms: _time, ...metric }) => metric),
  progress: progress.map(({ state }) => state),
});

test('every metric is the same on a runner as in this process', patient, async () => {
  const suite = everyMetric(world.running.model.url);
  const local = await world.tell(storyOf(suite), 'in this process');
  const remote = await world.tell(storyOf({ ...suite, files: suite.files.map(withoutAddress) }), 'on a runner');
  expect(remote.ended.map(({ outcome }) => judged(outcome))).toEqual(local.ended.map(({ outcome }) => judged(outcome)));
  expect(remote.ended.map(({ outcome }) => outcome.metrics.length)).toEqual([24, 2]);
});

const States = z.object({
  run: z.object({
    suiteRuns: z.tuple([
      z.object({
        testRuns: z.object({
          edges: z.array(z.object({ node: z.object({ progress: z.array(z.object({ state: z.string() })) }) })),
        }),
      }),
    ]),
  }),
});

test(
  'S0-121 S0-122 S0-123 C21 every check of the page passes, on a runner as in this process, and GraphQL tells the states that a test run went through',
  patient,
  async () => {
    const story = storyOf(pageSuite());
    const local = (await world.tell(story, 'in this process')).ended.map(({ outcome }) => outcome);
    expect(local.map(({ status, checks }) => [status, checks.filter(({ passed }) => !passed).length])).toEqual([
      ['passed', 0],
      ['passed', 1],
    ]);
    const used = local.flatMap(({ checks }) => checks.map(({ checkType }) => checkType));
    expect(new Set(used)).toEqual(new Set(checkTypes.filter((type) => !ownChecks.includes(type))));
    const remote = await world.tell(story, 'on a runner');
    expect(remote.ended.map(({ outcome }) => judged(outcome))).toEqual(local.map(judged));

    const { data, errors } = await world.running.ask(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 9) { edges { node { progress { state atMs } } } } } } }',
      { id: remote.runId },
    );
    expect(errors).toEqual([]);
    const [first] = States.parse(data).run.suiteRuns[0].testRuns.edges;
    expect(first?.node.progress.map(({ state }) => state)).toEqual([
      ...['PENDING', 'PROCESSING_FILES', 'FILES_READY', 'EXECUTING_AGENT', 'AGENT_COMPLETE', 'EVALUATING', 'COMPLETE'],
    ]);
  },
);

/** Those that need a file, a program or a service of their own. */
const ownChecks: readonly string[] = ['code', 'command', 'http'];

/** What docs/checks.md shows of checks, with the models of the proofmark.yaml of docs/project-file.md. */
function pageSuite(): Suite {
  const files = filesOfReference;
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

const file = 'tests/flows/fixtures/judge.mjs';
const program =
  'import json,sys;[print(json.dumps("17" in json.loads(line)["output"]),flush=True) for line in sys.stdin]';

/** Judges by post, and believes signed requests alone. */
async function startJudge() {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { 'x-proofmark-timestamp': time, 'x-proofmark-signature': signature } = request.headers;
    const isSigned =
      signature ===
      `sha256=${createHmac('sha256', secret)
        .update(`${String(time)}.${body}`)
        .digest('hex')}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ pass: isSigned && JSON.parse(body).output.includes('9'), score: 1 }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on TCP has a port
  return { url, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

const suiteAt = (url: string): Suite => ({
  suitePaths: ['evals/code.suite.yaml'],
  files: [
    {
      path: 'evals/code.suite.yaml',
      text: `name: Judged by code
agent: { name: Desk, driver: { type: scripted, replies: [{ reply: We open from 9 to 17 }] } }
evaluations:
  metrics:
    - { metric: own, type: code, file: ${file}, export: judge, threshold: 0.5 }
    - { metric: of a program, type: command, command: [python3, -c, '${program}'] }
    - { metric: of a service, type: http, url: '${url}', secret: { from_env: JUDGE_SECRET } }
cases:
  - name: Hours
    input: When do you open?
    expected_behavior:
      checks:
        - { type: code, file: ${file}, export: judge, threshold: 0.7 }
        - { type: not, check: { type: code, file: ${file}, export: judge, config: { wanted: sorry } } }
        - { type: command, command: [python3, -c, '${program}'] }
        - { type: http, url: '${url}', secret: { from_env: JUDGE_SECRET } }
`,
    },
    { path: file, text: readFileSync(join(repositoryRoot, file), 'utf8') },
  ],
});

/** What code judged: every judge says why in its own way, and with its own times. */
const judgedByCode = ({ status, checks, metrics, metricDetails }: CaseOutcome) => ({
  ...{ status, checks },
  metricDetails: metricDetails.map(({ kind, reasoning }) => ({ kind, reasoning })),
  metrics: metrics.map(({ evaluation_time_ms: _time, ...metric }) => metric),
});

test('code judges on a runner that may start programs as it does in this process', patient, async () => {
  const story = storyOf(suiteAt(judge.url));
  const local = (await world.tell(story, 'in this process')).ended.map(({ outcome }) => outcome);
  expect(local).toMatchObject([
    {
      status: 'passed',
      checks: [
        { checkType: 'code', status: 'pass', details: { score: 0.75, metrics: { words: 6 } } },
        { checkType: 'not', status: 'pass' },
        { checkType: 'command', status: 'pass' },
        { checkType: 'http', status: 'pass' },
      ],
      metrics: [
        { metric_name: 'own', score: 0.75, passed: true },
        { metric_name: 'of a program', score: 1, passed: true },
        { metric_name: 'of a service', score: 1, passed: true },
      ],
    },
  ]);
  const remote = await world.tell(story, 'on a runner');
  expect(remote.ended.map(({ outcome }) => judgedByCode(outcome))).toEqual(local.map(judgedByCode));
});
