import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withoutTimes } from '@proofmark/domain/without-times';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import { serverDialects } from '../stack/model/dialects.ts';
import type { Rule } from '../stack/model/rules.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { typeCli } from '../stack/type-cli.ts';
import { type BothModes, modes, openBothModes, type Told } from './both-modes.ts';
import { patient, type Suite } from './running-product.ts';

let world: BothModes;
beforeAll(async () => {
  world = await openBothModes();
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

const supportSuite = `
name: Support
agent:
  name: Desk
  instructions: You help customers of a shop.
  ai_configuration: desk
  tools: [{ name: get_hours }, { name: get_order }]
judge: { ai_configuration: judge }
simulator: { ai_configuration: person }
mocks:
  - { tool: get_hours, returns: { monday: "9-17", note: "schön 😀" }, times: always }
  - { tool: get_order, returns: { status: lost }, times: always }
cases:
  - name: Hours
    input: When do you close?
    expected_tools: [get_hours]
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17 o'clock 😀"] }] }
  - name: Two tools at once
    input: Where is A-1003, and when do you close?
    expected_tool_calls:
      - { tool: get_order, expected_params: { order_id: A-1003 } }
      - { tool: get_hours, expected_params: { day: mönday } }
  - name: Wrong answer
    input: Do you sell tea?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: [coffee] }] }
  - name: No answer
    input: Are you there?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["yes"] }] }
  - name: Angry customer
    persona: { type: frustrated-user, description: Waits., instructions: Be cross. }
    initial_message: This is the third time I ask!
    max_turns: 3
    expected_outcomes: { refund_issued: true }
`;

/** All models of the suite stream, or none: nothing else differs. */
function supportOf(stream: boolean): Suite {
  const configuration = (name: string) =>
    `  ${name}: { provider: openai, model: ${name}-1, stream: ${stream}, price: { input: 2, output: 10, cached_input: 1 } }\n`;
  const project = `ai_configurations:\n${['desk', 'judge', 'person'].map(configuration).join('')}`;
  return {
    files: [
      { path: 'proofmark.yaml', text: project },
      { path: 'evals/support.suite.yaml', text: supportSuite },
    ],
    suitePaths: ['evals/support.suite.yaml'],
    projectPath: 'proofmark.yaml',
  };
}

const spokenBy = (role: string, { messages }: ChatRequest): number =>
  messages.filter((message) => message.role === role).length;

const promised = {
  criteria: [
    { id: 'refund_issued', requirement: 'refund_issued: true', reasoning: 'It was promised.', status: 'passed' },
  ],
  injection_attempt: false,
};
const hours = { name: 'get_hours', arguments: { day: 'mönday' } };
const order = { name: 'get_order', arguments: { order_id: 'A-1003' } };
const supportRules: Rule[] = [
  { when: { model: 'judge-1' }, reply: JSON.stringify(promised) },
  {
    when: { model: 'person-1' },
    reply: (request) =>
      JSON.stringify({ action: 'say', message: `Message ${spokenBy('assistant', request) + 1}!`, reason: null }),
  },
  { when: { user: 'A-1003' }, toolCalls: [order, hours], reply: 'It is lost.\n\n  And we close at 17.' },
  { when: { user: 'When do you close' }, toolCalls: [hours], reply: 'At 17 o\'clock 😀, "schön".' },
  { when: { user: 'Are you there' }, status: 400 },
  { when: {}, reply: (request) => `Answer ${spokenBy('user', request)}.` },
];

const Streaming = z.looseObject({ stream: z.boolean().default(false) });
/** Which of the calls asked for a stream. */
const streams = ({ calls }: Told): boolean[] => [...new Set(calls.map(({ body }) => Streaming.parse(body).stream))];

test(
  'the same suite gives the same report streamed and in one piece, in one process and on a runner',
  patient,
  async () => {
    const story = (stream: boolean) => ({ suite: supportOf(stream), rules: () => supportRules });
    const whole = await world.tell(story(false), 'in this process');
    for (const mode of modes) {
      for (const stream of [false, true]) {
        const told = await world.tell(story(stream), mode);
        expect(withoutTimes(told.report), `${mode} ${stream}`).toEqual(withoutTimes(whole.report));
        expect(streams(told)).toEqual([stream]);
        expect(told.calls).toHaveLength(whole.calls.length);
        expect(told.ended.map(({ outcome }) => [outcome.usage, outcome.costUsd])).toEqual(
          whole.ended.map(({ outcome }) => [outcome.usage, outcome.costUsd]),
        );
      }
    }
    // Not vacuous: there are answers, calls, an error, tokens and costs to be equal.
    expect(whole.ended.map(({ outcome }) => [outcome.status, outcome.toolCalls.length])).toEqual([
      ['passed', 1],
      ['passed', 2],
      ['failed', 0],
      ['error', 0],
      ['passed', 0],
    ]);
    expect(whole.ended[0]?.outcome.usage).toEqual({
      promptTokens: expect.any(Number),
      completionTokens: expect.any(Number),
    });
  },
);

/** Three configurations of one model, two of which differ in nothing but their temperature, and an agent with its own. */
const warmthSuite: Suite = {
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

const Body = z.looseObject({ temperature: z.number().optional(), max_tokens: z.number().optional() });

/** What the model was asked at, in no particular order. */
const askedAt = ({ calls }: Told) =>
  calls
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
async function sourcesOf(runId: string | null) {
  const { data, errors } = await world.running.ask(
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
    const story = { suite: warmthSuite, rules: () => [{ reply: 'We open at 9 and close at 17.' }] };
    const expected = ['0 40', '0.2 40', '0.9 40', '0.9 40', '0.9 40', '1.3 40'];
    const [here, there] = [await world.tell(story, 'in this process'), await world.tell(story, 'on a runner')];
    expect(askedAt(here)).toEqual(expected);
    expect(askedAt(there)).toEqual(expected);
    const ofCase = (cell: string) => [`AIConfiguration=${cell}`, 'Of the case', '0.9 from test', '40 from agent'];
    expect(await sourcesOf(there.runId)).toEqual([
      ['AIConfiguration=cold', 'Closing', '0 from ai_configuration', '40 from agent'],
      ofCase('cold'),
      ['AIConfiguration=warm', 'Closing', '1.3 from ai_configuration', '40 from agent'],
      ofCase('warm'),
      ['AIConfiguration=silent', 'Closing', '0.2 from agent', '40 from agent'],
      ofCase('silent'),
    ]);
  },
);

const sameHours = { reasoning: 'the same hours', passed: true };
const refusingRules = [
  { when: { system: 'against an expected answer' }, reply: JSON.stringify(sameHours) },
  { reply: 'We close at 17.' },
];
/** Nobody wrote a temperature: 0.7 is that of the test type, 0 that of judges. The second one was written. */
const refusedSuite: Suite = {
  projectPath: 'proofmark.yaml',
  suitePaths: ['evals/x.suite.yaml'],
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations:
  plain: { provider: openai, model: o-plain }
  written: { provider: openai, model: o-written, temperature: 0.2 }
  judge: { provider: openai, model: o-judge }
`,
    },
    {
      path: 'evals/x.suite.yaml',
      text: `name: Opening hours
agent: { name: Desk, instructions: You answer for a shop., ai_configuration: plain }
judge: { ai_configuration: judge }
repetitions: 1
cases:
  - { name: Closing, input: When do you close?, expected_behavior: { checks: [{ type: llm_judge, expected_answer: At 17 }] } }
  - { name: Written, input: When do you close?, variables: { AIConfiguration: { defaultValue: written } }, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`,
    },
  ],
};

const dialect = serverDialects['OpenAI o-series, gpt-5'];
const told = (model: string, configuration: string, changes: string) =>
  `The model \`${model}\` (AI configuration \`${configuration}\`) was asked otherwise, because it refuses what is usual or written: ${changes}.`;
const lines = [
  told('o-plain', 'plain', 'no temperature'),
  told('o-judge', 'judge', 'no temperature; token limit: max_completion_tokens'),
];

const Lines = z.object({
  run: z.object({ suiteRuns: z.tuple([z.object({ verdict: z.object({ lines: z.array(z.string()) }) })]) }),
});

test(
  'what nobody set and a model refuses is left out, kept with the result and told once; what somebody wrote is not dropped',
  patient,
  async () => {
    const story = { suite: refusedSuite, rules: () => refusingRules, dialect };
    const {
      ended: [closing, written],
    } = await world.tell(story, 'in this process');
    expect(closing?.outcome).toMatchObject({
      status: 'passed',
      adjustments: [
        { configuration: 'plain', model: 'o-plain', setting: 'temperature', instead: null },
        { configuration: 'judge', model: 'o-judge', setting: 'temperature', instead: null },
        { configuration: 'judge', model: 'o-judge', setting: 'max_tokens', instead: 'max_completion_tokens' },
      ],
    });
    expect(written?.outcome).toMatchObject({ status: 'error', errorKind: 'agent' });
    expect(written?.outcome.errorMessage).toMatch(/^Write the temperature that this model takes/);

    const folder = await makeScratchDirectory('refused');
    for (const { path, text } of refusedSuite.files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const { running } = world;
    const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: running.model.url };
    const { stdout } = await typeCli(['run'], { folder, env });
    for (const line of lines) expect(stdout.split(line), stdout).toHaveLength(2);

    const { runId: id } = await world.tell(story, 'on a runner');
    const { data, errors } = await running.ask(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { verdict { lines } } } }',
      { id },
    );
    expect(errors).toEqual([]);
    expect(Lines.parse(data).run.suiteRuns[0].verdict.lines).toEqual(
      expect.arrayContaining(lines.map((line) => line.replaceAll('`', ''))),
    );
  },
);
