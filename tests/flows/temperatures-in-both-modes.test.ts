import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { reportInProcess } from './run-in-process.ts';
import { patient, type RunningProduct, type Suite, startRunningProduct } from './running-product.ts';

/** Three configurations of one model, two of which differ in nothing but their temperature, and an agent with its own. */
const suite: Suite = {
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations:
  cold: { provider: openai, model: one-model, temperature: 0 }
  warm: { provider: openai, model: one-model, temperature: 1.3 }
  silent: { provider: openai, model: one-model }
`,
    },
    {
      path: 'evals/hours.suite.yaml',
      text: `name: Opening hours
agent:
  name: Desk
  instructions: You answer for a shop.
  model: { provider: openai, name: own-model, temperature: 0.2, max_tokens: 40 }
matrix: { AIConfiguration: [cold, warm, silent] }
cases:
  - { name: Closing, input: "When do you close?", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
  - { name: Of the case, input: "When do you close, really?", variables: { Temperature: { defaultValue: 0.9 } }, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`,
    },
  ],
  suitePaths: ['evals/hours.suite.yaml'],
  projectPath: 'proofmark.yaml',
};

const rules = [{ reply: 'We open at 9 and close at 17.' }];
const Body = z.looseObject({ temperature: z.number().optional(), max_tokens: z.number().optional() });

/** What the model was asked at, in no particular order. */
const asked = ({ requests }: ModelServer) =>
  requests
    .map(({ body }) => Body.parse(body))
    .map(({ temperature, max_tokens }) => `${String(temperature)} ${String(max_tokens)}`)
    .toSorted();

const SuiteRuns = z.object({
  run: z.object({
    suiteRuns: z.array(
      z.object({
        cellKey: z.string(),
        testRuns: z.object({
          edges: z.array(
            z.object({
              node: z.object({
                caseName: z.string(),
                resolvedVariables: z.object({
                  values: z.record(z.string(), z.unknown()),
                  sources: z.record(z.string(), z.string()),
                }),
              }),
            }),
          ),
        }),
      }),
    ),
  }),
});

/** Where the temperature and the token limit of each case in each cell come from, as GraphQL tells it. */
async function toldBy(running: RunningProduct, runId: string) {
  const { data, errors } = await running.ask(
    `query($id: UUID!) { run(id: $id) { suiteRuns { cellKey
       testRuns(first: 5) { edges { node { caseName resolvedVariables { values sources } } } } } } }`,
    { id: runId },
  );
  expect(errors).toEqual([]);
  return SuiteRuns.parse(data).run.suiteRuns.flatMap(({ cellKey, testRuns }) =>
    testRuns.edges.map(
      ({
        node: {
          caseName,
          resolvedVariables: { values, sources },
        },
      }) => [
        cellKey,
        caseName,
        `${String(values.Temperature)} from ${sources.Temperature}`,
        `${String(values.MaxTokens)} from ${sources.MaxTokens}`,
      ],
    ),
  );
}

test(
  'C48 two AI configurations that differ in their temperature alone are asked at two temperatures, in one process and on a runner',
  patient,
  async () => {
    await using model = await startModelServer({ rules });
    await reportInProcess(suite, { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url });
    const expected = ['0 40', '0.2 40', '0.9 40', '0.9 40', '0.9 40', '1.3 40'];
    expect(asked(model)).toEqual(expected);

    await using running = await startRunningProduct({ rules });
    const runId = await running.start(suite, { idempotencyKey: randomUUID() });
    await running.waitForEnd(runId);
    expect(asked(running.model)).toEqual(expected);
    const ofCase = (cell: string) => [`AIConfiguration=${cell}`, 'Of the case', '0.9 from test', '40 from agent'];
    expect(await toldBy(running, runId)).toEqual([
      ['AIConfiguration=cold', 'Closing', '0 from ai_configuration', '40 from agent'],
      ofCase('cold'),
      ['AIConfiguration=warm', 'Closing', '1.3 from ai_configuration', '40 from agent'],
      ofCase('warm'),
      ['AIConfiguration=silent', 'Closing', '0.2 from agent', '40 from agent'],
      ofCase('silent'),
    ]);
  },
);
