import { TestReport } from '@proofmark/contracts/test-report';
import { withoutTimes } from '@proofmark/domain/without-times';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import type { Rule } from '../stack/model/rules.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { reportInProcess } from './run-in-process.ts';
import { patient, type RunningProduct, type Suite, startRunningProduct } from './running-product.ts';

const suiteText = `
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
function suite(stream: boolean): Suite {
  const configuration = (name: string) =>
    `  ${name}: { provider: openai, model: ${name}-1, stream: ${stream}, price: { input: 2, output: 10, cached_input: 1 } }\n`;
  const project = `ai_configurations:\n${['desk', 'judge', 'person'].map(configuration).join('')}`;
  return {
    files: [
      { path: 'proofmark.yaml', text: project },
      { path: 'evals/support.suite.yaml', text: suiteText },
    ],
    suitePaths: ['evals/support.suite.yaml'],
    projectPath: 'proofmark.yaml',
  };
}

const spokenBy = (role: string, { messages }: ChatRequest): number =>
  messages.filter((message) => message.role === role).length;

const verdict = {
  criteria: [
    { id: 'refund_issued', requirement: 'refund_issued: true', reasoning: 'It was promised.', status: 'passed' },
  ],
  injection_attempt: false,
};
const hours = { name: 'get_hours', arguments: { day: 'mönday' } };
const order = { name: 'get_order', arguments: { order_id: 'A-1003' } };
const rules: Rule[] = [
  { when: { model: 'judge-1' }, reply: JSON.stringify(verdict) },
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

/** Which of the calls asked for a stream. */
const streams = (model: ModelServer, from = 0): boolean[] => {
  const Body = z.looseObject({ stream: z.boolean().default(false) });
  return [...new Set(model.requests.slice(from).map(({ body }) => Body.parse(body).stream))];
};

const SuiteRuns = z.object({ run: z.object({ suiteRuns: z.array(z.object({ report: TestReport })) }) });

async function distributed(running: RunningProduct, stream: boolean): Promise<TestReport> {
  const runId = await running.start(suite(stream));
  await running.waitForEnd(runId);
  const answer = await running.ask('query($id: UUID!) { run(id: $id) { suiteRuns { report } } }', { id: runId });
  const [suiteRun] = SuiteRuns.parse(answer.data).run.suiteRuns;
  if (suiteRun === undefined) throw new Error('The run has no suite run');
  return suiteRun.report;
}

it(
  'the same suite gives the same report streamed and in one piece, in one process and on a runner',
  patient,
  async () => {
    await using model = await startModelServer({ rules });
    const environment = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url };
    const whole = await reportInProcess(suite(false), environment);
    expect(streams(model)).toEqual([false]);
    const asked = model.requests.length;
    const streamed = await reportInProcess(suite(true), environment);
    expect(streams(model, asked)).toEqual([true]);
    expect(model.requests).toHaveLength(2 * asked);
    expect(withoutTimes(streamed.report)).toEqual(withoutTimes(whole.report));
    // Not vacuous: there are answers, calls, an error, tokens and costs to be equal.
    expect(whole.ended.map(({ outcome }) => [outcome.status, outcome.toolCalls.length])).toEqual([
      ['passed', 1],
      ['passed', 2],
      ['failed', 0],
      ['error', 0],
      ['passed', 0],
    ]);
    expect(streamed.ended.map(({ outcome }) => [outcome.usage, outcome.costUsd])).toEqual(
      whole.ended.map(({ outcome }) => [outcome.usage, outcome.costUsd]),
    );
    expect(streamed.ended[0]?.outcome.usage).toEqual({
      promptTokens: expect.any(Number),
      completionTokens: expect.any(Number),
    });

    await using running = await startRunningProduct({ rules });
    expect(withoutTimes(await distributed(running, false))).toEqual(withoutTimes(whole.report));
    expect(streams(running.model)).toEqual([false]);
    const before = running.model.requests.length;
    expect(withoutTimes(await distributed(running, true))).toEqual(withoutTimes(whole.report));
    expect(streams(running.model, before)).toEqual([true]);
  },
);
