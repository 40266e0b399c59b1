import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import { patient, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;

/** The large model does not bear a short prompt. */
const reply = ({ model, messages }: ChatRequest) =>
  model === 'model-large' && JSON.stringify(messages).includes('Be brief.') ? 'Late.' : 'We open at 9 and close at 17.';

beforeAll(async () => {
  running = await startRunningProduct({ rules: [{ reply }] });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const files = [
  {
    path: 'proofmark.yaml',
    text: [
      'ai_configurations:',
      '  small: { provider: openai, model: model-small, temperature: 1.5 }',
      '  large: { provider: openai, model: model-large, max_tokens: 64 }',
      'presets:',
      '  short: { MaxTokens: 33, Temperature: 0.1 }',
      '',
    ].join('\n'),
  },
  {
    path: 'evals/hours.suite.yaml',
    text: [
      'name: Opening hours',
      'agent: { name: Desk, ai_configuration: small, instructions: You answer for a shop. }',
      'cases:',
      '  - { name: Closing, input: "When do you close?", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }',
      '',
    ].join('\n'),
  },
];

const startText = `mutation ($input: StartRunInput!) {
  startRun(input: $input) {
    __typename
    ... on StartRunSuccess { run { id } }
    ... on UserError { code message }
    ... on InvalidInput { problems { path message } }
  }
}`;

const Started = z.object({
  startRun: z.object({ __typename: z.literal('StartRunSuccess'), run: z.object({ id: z.string() }) }),
});

/** Starts the suite with these arguments, waits for its end, and returns its cells with their test runs. */
async function runCells(given: Record<string, unknown>) {
  const input = {
    idempotencyKey: randomUUID(),
    trigger: { triggeredBy: 'API' },
    files,
    suitePaths: ['evals/hours.suite.yaml'],
    projectPath: 'proofmark.yaml',
    ...given,
  };
  const { data } = await running.ask(startText, { input });
  const { run } = Started.parse(data).startRun;
  expect(await running.waitForEnd(run.id)).toMatchObject({ status: 'completed' });
  const answer = await running.ask(cellsText, { id: run.id });
  return Cells.parse(answer.data).run.suiteRuns;
}

const cellsText = `query ($id: UUID!) {
  run(id: $id) {
    suiteRuns {
      cellKey cell resolvedVariables { values sources } passRate
      testRuns { edges { node { status model resolvedVariables { values sources } } } }
    }
  }
}`;

const Resolved = z.object({ values: z.record(z.string(), z.unknown()), sources: z.record(z.string(), z.string()) });
const Cells = z.object({
  run: z.object({
    suiteRuns: z.array(
      z.object({
        cellKey: z.string(),
        cell: z.record(z.string(), z.unknown()),
        resolvedVariables: Resolved,
        passRate: z.number().nullable(),
        testRuns: z.object({
          edges: z.array(z.object({ node: z.object({ status: z.string(), resolvedVariables: Resolved }) })),
        }),
      }),
    ),
  }),
});

const ModelBody = z.object({
  temperature: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  max_tokens: z.number().optional(),
});

/** What the model server was asked for since `from` calls had been made, in no particular order. */
const asked = (from: number) =>
  running.model.requests
    .slice(from)
    .map(({ model, body }) => {
      const { temperature, max_completion_tokens, max_tokens } = ModelBody.parse(body);
      return { model, temperature, maxTokens: max_completion_tokens ?? max_tokens };
    })
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

test('S4-87 S4-05 S4-30 S4-81 two AI configurations × two temperatures are four cells with their own variables, and the model is asked for each', async () => {
  const before = running.model.requests.length;
  const matrix = [
    { name: 'AIConfiguration', values: ['small', 'large'] },
    { name: 'Temperature', values: [0, 0.9] },
  ];
  const cells = await runCells({ matrix, variables: { MaxTokens: 50 } });

  expect(cells.map(({ cellKey, cell }) => [cellKey, cell])).toEqual([
    ['AIConfiguration=small,Temperature=0', { AIConfiguration: 'small', Temperature: 0 }],
    ['AIConfiguration=small,Temperature=0.9', { AIConfiguration: 'small', Temperature: 0.9 }],
    ['AIConfiguration=large,Temperature=0', { AIConfiguration: 'large', Temperature: 0 }],
    ['AIConfiguration=large,Temperature=0.9', { AIConfiguration: 'large', Temperature: 0.9 }],
  ]);
  for (const { cell, resolvedVariables, testRuns, passRate } of cells) {
    const sources = { AIConfiguration: 'run', Temperature: 'run', MaxTokens: 'run' };
    const resolved = { values: { ...cell, MaxTokens: 50 }, sources };
    expect(resolvedVariables).toEqual(resolved);
    expect(testRuns.edges.map(({ node }) => [node.status, node.resolvedVariables])).toEqual([['PASSED', resolved]]);
    expect(passRate).toBe(100);
  }
  // 0 is a value and reaches the model; the configuration's own 1.5 reaches nobody.
  expect(asked(before)).toEqual([
    { model: 'model-large', temperature: 0, maxTokens: 50 },
    { model: 'model-large', temperature: 0.9, maxTokens: 50 },
    { model: 'model-small', temperature: 0, maxTokens: 50 },
    { model: 'model-small', temperature: 0.9, maxTokens: 50 },
  ]);
});

test('S4-87 a cell is called the same, whatever order the axes come in and whether values are typed or text', async () => {
  const typed = await runCells({
    matrix: [
      { name: 'MaxTokens', values: [10, 20] },
      { name: 'AIConfiguration', values: ['small'] },
    ],
  });
  const asText = await runCells({
    matrix: [
      { name: 'AIConfiguration', values: ['small'] },
      { name: 'MaxTokens', values: ['10', '20'] },
    ],
  });
  expect(typed.map(({ cellKey }) => cellKey)).toEqual([
    'AIConfiguration=small,MaxTokens=10',
    'AIConfiguration=small,MaxTokens=20',
  ]);
  expect(asText.map(({ cellKey, cell }) => [cellKey, cell])).toEqual(typed.map(({ cellKey, cell }) => [cellKey, cell]));
});

test('S4-89 a preset gives run-level values, and a single value beats it', async () => {
  const before = running.model.requests.length;
  const [cell] = await runCells({ preset: 'short', assignments: [{ name: 'Temperature', text: '0.4' }] });
  expect(cell?.resolvedVariables).toEqual({
    values: { MaxTokens: 33, Temperature: 0.4 },
    sources: { MaxTokens: 'run', Temperature: 'run' },
  });
  expect(asked(before)).toEqual([{ model: 'model-small', temperature: 0.4, maxTokens: 33 }]);
});

test('S4-92 results are comparable across configurations: each cell has a history of its own beside the others', async () => {
  const matrix = [{ name: 'AIConfiguration', values: ['small', 'large'] }];
  for (const MaxTokens of [70, 71]) await runCells({ matrix, variables: { MaxTokens } });
  const { data, errors } = await running.ask(
    `{ suites { edges { node {
       large: history(cellKey: "AIConfiguration=large") { edges { node { cellKey passRate resolvedVariables { values } } } }
       small: history(cellKey: "AIConfiguration=small") { edges { node { cellKey passRate resolvedVariables { values } } } }
     } } } }`,
  );
  expect(errors).toEqual([]);
  const [suite] = Histories.parse(data).suites.edges;
  const point = (AIConfiguration: string, MaxTokens: number) => ({
    cellKey: `AIConfiguration=${AIConfiguration}`,
    passRate: 100,
    resolvedVariables: { values: { AIConfiguration, MaxTokens } },
  });
  expect(suite?.node.large.edges.map(({ node }) => node)).toEqual([point('large', 71), point('large', 70)]);
  expect(suite?.node.small.edges.map(({ node }) => node)).toEqual([point('small', 71), point('small', 70)]);
});

const History = z.object({ edges: z.array(z.object({ node: z.unknown() })) });
const Histories = z.object({
  suites: z.object({ edges: z.array(z.object({ node: z.object({ large: History, small: History }) })) }),
});

test('D-14 a proposal has one row per cell in its comment, each beside its own cell of the base', patient, async () => {
  await running.rows(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
     select id, 'github.com', '77', '7', 'acme/shop', 'main' from tenants`,
  );
  const place = { triggeredBy: 'CI', host: 'github.com', repositoryExternalId: '77' };
  const [baseSha, headSha] = ['a'.repeat(40), 'b'.repeat(40)];
  const matrix = [{ name: 'AIConfiguration', values: ['small', 'large'] }];
  await runCells({ matrix, trigger: { ...place, event: 'push', ref: 'refs/heads/main', headSha: baseSha } });
  const brief = files.map(({ path, text }) => ({ path, text: text.replace('for a shop.', 'for a shop. Be brief.') }));
  const proposal = { ...place, event: 'pull_request', ref: 'refs/pull/5/merge', headSha, baseSha, pullRequest: 5 };
  const cells = await runCells({ matrix, files: brief, trigger: proposal });
  expect(new Set(cells.map(({ cellKey }) => cellKey))).toEqual(
    new Set(['AIConfiguration=small', 'AIConfiguration=large']),
  );
  const { data } = await running.ask(
    'query { runs(first: 1) { edges { node { feedback { comment } suiteRuns { cellKey variant verdict { basePassRate headPassRate } } } } } }',
    {},
  );
  const [{ node }] = Newest.parse(data).runs.edges;
  const rates = node.suiteRuns.flatMap(({ cellKey, verdict }) => (verdict === null ? [] : [[cellKey, verdict]]));
  expect(Object.fromEntries(rates)).toEqual({
    'AIConfiguration=small': { basePassRate: 100, headPassRate: 100 },
    'AIConfiguration=large': { basePassRate: 100, headPassRate: 0 },
  });
  const rows = node.feedback.comment.split('\n').filter((line) => line.endsWith('| n/a |'));
  expect(rows).toEqual([
    expect.stringMatching(/large<\/code> \| 100% \| 0% \| −100\.0 .*regressed/),
    expect.stringMatching(/small<\/code> \| 100% \| 100% \| 0\.0 /),
  ]);
});

const Newest = z.object({
  runs: z.object({
    edges: z.tuple([
      z.object({
        node: z.object({
          feedback: z.object({ comment: z.string() }),
          suiteRuns: z.array(
            z.object({
              cellKey: z.string(),
              verdict: z
                .object({ basePassRate: z.number().nullable(), headPassRate: z.number().nullable() })
                .nullable(),
            }),
          ),
        }),
      }),
    ]),
  }),
});
