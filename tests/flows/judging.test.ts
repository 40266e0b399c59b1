import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

const outcome = (id: string, status: string) => ({ id, requirement: id, reasoning: `${id} ${status}`, status });

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct({
    rules: [
      {
        when: { system: 'reached what was expected' },
        reply: JSON.stringify({
          criteria: [outcome('refund_issued', 'passed'), outcome('mail_sent', 'failed')],
          injection_attempt: false,
        }),
      },
      { reply: JSON.stringify({ reasoning: 'to the point', score: 4, status: 'scored' }) },
    ],
  });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const suite = [
  'name: Support',
  'agent: { name: Desk, instructions: Help., driver: { type: scripted, replies: [{ reply: "Your money is on its way." }] } }',
  'judge: { ai_configuration: judge }',
  'evaluations: { metrics: [{ metric: relevance, threshold: 0.7 }, { metric: f1 }] }',
  'cases:',
  '  - name: Refund',
  '    input: I want a refund',
  '    ground_truth: The money is on its way',
  '    expected_outcomes: { refund_issued: true, mail_sent: true }',
  '',
].join('\n');

const queryText = `query ($id: UUID!) {
  run(id: $id) {
    suiteRuns {
      report
      testRuns(first: 5) { edges { node {
        status
        outcomes { passed score error injectionAttempt judgeHash criteria { id requirement reasoning status } }
        metricResults { metricName kind score passed reasoning progress modelUsed configuration }
      } } }
    }
  }
}`;

test('C42 a runner judges, and GraphQL tells what was decided and why', async () => {
  const id = await running.start({
    files: [
      { path: 'proofmark.yaml', text: 'ai_configurations: { judge: { provider: openai, model: judge-1 } }\n' },
      { path: 'evals/x.suite.yaml', text: suite },
    ],
    suitePaths: ['evals/x.suite.yaml'],
    projectPath: 'proofmark.yaml',
  });
  expect(await running.waitForEnd(id)).toMatchObject({ status: 'completed', results: [{ status: 'failed' }] });
  const { data, errors } = await running.ask(queryText, { id });
  expect(errors).toEqual([]);
  expect(data).toMatchObject({
    run: {
      suiteRuns: [
        {
          report: {
            results: [
              {
                passed: false,
                metric_results: [
                  { metric_name: 'expected_outcomes', score: 0.5, passed: false },
                  { metric_name: 'relevance', score: 0.8 },
                  { metric_name: 'f1' },
                ],
              },
            ],
          },
          testRuns: {
            edges: [
              {
                node: {
                  status: 'FAILED',
                  outcomes: {
                    passed: false,
                    score: 0.5,
                    error: null,
                    injectionAttempt: false,
                    judgeHash: expect.stringMatching(/^[0-9a-f]{64}$/),
                    criteria: [
                      { id: 'mail_sent', reasoning: 'mail_sent failed', status: 'failed' },
                      { id: 'refund_issued', requirement: 'refund_issued: true', status: 'passed' },
                    ],
                  },
                  metricResults: [
                    {
                      metricName: 'relevance',
                      kind: 'model',
                      reasoning: 'to the point',
                      modelUsed: 'judge-1',
                      configuration: 'judge',
                    },
                    {
                      metricName: 'f1',
                      kind: 'lexical',
                      progress: ['PENDING', 'EVALUATING', 'COMPLETE'],
                      modelUsed: null,
                    },
                  ],
                },
              },
            ],
          },
        },
      ],
    },
  });
});
