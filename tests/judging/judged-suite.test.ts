import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TestReport } from '@proofmark/contracts/test-report';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { runEmbedded } from '@proofmark/embedded/run-embedded';
import { expect, test } from 'vitest';
import type { Rule } from '../stack/model/rules.ts';
import { startModelServer } from '../stack/model-server.ts';

const project = (url: string): string => `
ai_configurations:
  judge: { provider: openai, model: judge-1, base_url: "${url}" }
  second: { provider: openai, model: judge-2, base_url: "${url}" }
`;

const suite = `
name: Support
agent:
  name: Support agent
  instructions: Never promise a refund.
  tools: [{ name: refund }]
  driver:
    type: scripted
    replies: [{ contains: refund, tool_calls: [{ name: refund, args: { id: 7 } }], reply: "Your 20 euros are on their way." }]
judge: { ai_configuration: judge }
evaluations:
  model: second
  metrics:
    - { metric: relevance, threshold: 0.7 }
    - { metric: fluency, model: judge, scale: 5 }
    - { metric: f1 }
    - { type: geval, name: kindness, criteria: The agent is kind. }
mocks: [{ tool: refund, returns: { ok: true }, times: always }]
cases:
  - name: Refund
    input: I want a refund
    ground_truth: The money is on its way
    expected_outcomes: { refund_issued: true, mail_sent: true }
    evaluations: [relevance, fluency, f1, kindness]
`;

const outcome = (id: string, status: string) => ({ id, requirement: id, reasoning: `${id} ${status}`, status });
const rating = (score: number) => JSON.stringify({ reasoning: 'fine', score, status: 'scored' });

const rules = (mailSent: string): Rule[] => [
  {
    when: { system: 'reached what was expected' },
    reply: JSON.stringify({
      criteria: [outcome('refund_issued', 'passed'), outcome('mail_sent', mailSent)],
      injection_attempt: false,
    }),
  },
  { when: { system: 'You write instructions' }, reply: JSON.stringify({ steps: ['Read it.', 'Rate it.'] }) },
  { when: { system: 'kindness' }, reply: rating(8) },
  { reply: rating(4) },
];

/** Runs the suite as a developer would, with a model server that follows the rules. */
async function run(given: Rule[]) {
  const root = await mkdtemp(join(tmpdir(), 'proofmark-judged-'));
  await using server = await startModelServer({ rules: given });
  try {
    for (const [path, text] of Object.entries({ 'proofmark.yaml': project(server.url), 'evals/x.suite.yaml': suite })) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const keys = readModelKeys({});
    if (!keys.ok) throw new Error('no keys');
    const collected = collectDefinitions({ root });
    expect(collected.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const ended = await runEmbedded({
      runId: 'judged',
      definitions: collected.definitions,
      request: {
        ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [] },
        ...{ cases: [], tags: [], difficulty: null, repetitions: 1, compared: false, variants: ['head'] },
      },
      runSeed: 'seed',
      resultsDirectory: join(root, 'results'),
      keys: keys.keys,
      version: '0.1.0',
      environment: {},
      signal: new AbortController().signal,
    });
    if (!ended.ok) throw new Error(JSON.stringify(ended.problems));
    const [suiteRun] = ended.suiteRuns;
    const built = suiteRun?.report;
    if (!built?.ok) throw new Error('no report');
    const { results } = TestReport.parse(JSON.parse(await readFile(built.path, 'utf8')));
    return { results, requests: server.requests, cases: suiteRun?.cases };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test('a suite from a file is judged by the models that it names, and its report shows outcomes and metrics', async () => {
  const { results, requests } = await run(rules('passed'));
  expect(results).toMatchObject([
    {
      passed: true,
      metric_results: [
        { metric_name: 'expected_outcomes', score: 1, threshold: 1, passed: true },
        { metric_name: 'relevance', score: 0.8, threshold: 0.7, passed: true, model_used: 'judge-2' },
        { metric_name: 'fluency', score: 4, scale: 5, passed: true, model_used: 'judge-1' },
        { metric_name: 'f1', passed: true, model_used: null },
        { metric_name: 'kindness', score: 0.8, passed: true, model_used: 'judge-2' },
      ],
    },
  ]);
  expect(requests.map(({ model }) => model)).toEqual(['judge-1', 'judge-2', 'judge-1', 'judge-2', 'judge-2']);
  expect(requests[0]?.user).toContain('refund_issued: true');
  expect(requests[0]?.user).toContain('call 1: refund\narguments: {"id":7}');
});

test('an outcome that was not reached fails the case and is named', async () => {
  const { results, cases } = await run(rules('failed'));
  expect(results).toMatchObject([
    {
      passed: false,
      metric_results: [{ metric_name: 'expected_outcomes', score: 0.5, passed: false }, {}, {}, {}, {}],
    },
  ]);
  expect(cases).toMatchObject([{ firstFailure: 'outcome mail_sent: mail_sent failed' }]);
});
