import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import type { Rule } from '../stack/model/rules.ts';
import { startModelServer } from '../stack/model-server.ts';
import { runInProcess } from './run-in-process.ts';
import { patient, type Suite, startRunningProduct } from './running-product.ts';

const turns = 8;
const suite: Suite = {
  files: [
    {
      path: 'proofmark.yaml',
      text: 'ai_configurations:\n  desk: { provider: openai, model: agent-1 }\n  person: { provider: openai, model: person-1 }\n',
    },
    {
      path: 'evals/refund.suite.yaml',
      text: `
name: Refunds
agent:
  name: Desk
  instructions: You help customers of a shop.
  ai_configuration: desk
  tools: [{ name: get_order }, { name: refund }]
simulator: { ai_configuration: person }
mocks:
  - { tool: get_order, when: { order_id: A-1003 }, returns: { $from: "state.orders[args.order_id]" }, times: always }
  - tool: refund
    times: always
    set: [{ op: replace, path: [orders, { $from: args.order_id }, status], value: refunded }]
    returns: { ok: true }
mock_settings: { state: { orders: { A-1003: { status: lost, total: 20 } } } }
cases:
  - name: Angry customer wants a refund
    persona: { type: frustrated-user, description: Waits for a parcel., instructions: Be short and cross. }
    initial_message: This is the third time I ask!
    user_context: { order_id: A-1003 }
    max_turns: ${turns}
    expected_tool_calls:
      - { tool: get_order, expected_params: { order_id: A-1003 } }
      - { tool: refund, expected_params: { order_id: A-1003 } }
      - { tool: delete_account, forbidden: true }
`,
    },
  ],
  suitePaths: ['evals/refund.suite.yaml'],
  projectPath: 'proofmark.yaml',
};

/** How many messages of the person are in the request. */
const saidBy = (role: string, { messages }: ChatRequest): number =>
  messages.filter((message) => message.role === role).length;
const call = (name: string) => ({ name, arguments: { order_id: 'A-1003' } });

/** The person counts its messages; the agent looks the order up, pays it back, looks again, and answers each message. */
const rules: Rule[] = [
  {
    when: { model: 'person-1' },
    reply: (request) =>
      JSON.stringify({ action: 'say', message: `Message ${saidBy('assistant', request) + 1}!`, reason: null }),
  },
  { when: { model: 'agent-1', user: 'Message 3!' }, toolCalls: [call('get_order')], reply: 'It was lost.' },
  { when: { model: 'agent-1', user: 'Message 5!' }, toolCalls: [call('refund')], reply: 'The money is on its way.' },
  {
    when: { model: 'agent-1', user: 'Message 7!' },
    toolCalls: [call('get_order'), call('delete_nothing')],
    reply: 'It is paid back.',
  },
  { when: { model: 'agent-1' }, reply: (request) => `Answer to message ${saidBy('user', request)}.` },
];

/** What depends on neither the clock nor the ids that a model gives. */
function timeless({ transcript, toolCalls, conversation, status, tools, mocks }: Compared) {
  return {
    transcript: transcript.map(({ durationMs: _took, toolCallId: _id, ...turn }) => turn),
    toolCalls: toolCalls.map(({ durationMs: _took, id: _id, ...made }) => made),
    ...{ conversation, status, tools, mocks },
  };
}

const Compared = CaseOutcome.pick({
  ...{ transcript: true, toolCalls: true, conversation: true, status: true, tools: true, mocks: true },
}).strip();
type Compared = z.infer<typeof Compared>;

async function inProcess(): Promise<Compared> {
  await using model = await startModelServer({ rules });
  const [ended] = await runInProcess(suite, { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url });
  if (ended === undefined) throw new Error('The case was not run');
  return ended.outcome;
}

async function onRunner(): Promise<Compared> {
  await using running = await startRunningProduct({ rules });
  const runId = await running.start(suite);
  await running.waitForEnd(runId);
  const [row] = await running.rows<{ outcome: unknown }>(
    `select y.outcome || jsonb_build_object('status', c.status, 'toolCalls', c.tool_calls) as outcome
     from test_case_results c join test_suite_runs s on s.id = c.run_id
     join test_case_payloads y on y.id = c.id where s.run_id = $1`,
    [runId],
  );
  return Compared.parse(row?.outcome);
}

it('a conversation of 8 turns with tools is the same in one process and on a runner', patient, async () => {
  const here = await inProcess();
  expect(timeless(await onRunner())).toEqual(timeless(here));
  // Not vacuous: every turn was played, state moved on between calls, and each side said what it was to say.
  const { transcript, conversation, status } = here;
  expect({ status, conversation }).toMatchObject({
    status: 'passed',
    conversation: { endReason: 'max_turns', agentTurns: turns, simulator: { calls: turns - 1 } },
  });
  expect(transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: This is the third time I ask!',
    'agent: Answer to message 1.',
    'user: Message 2!',
    'agent: Answer to message 2.',
    'user: Message 3!',
    'tool: {"status":"lost","total":20}',
    'agent: It was lost.',
    'user: Message 4!',
    'agent: Answer to message 4.',
    'user: Message 5!',
    'tool: {"ok":true}',
    'agent: The money is on its way.',
    'user: Message 6!',
    'agent: Answer to message 6.',
    'user: Message 7!',
    'tool: {"status":"refunded","total":20}',
    'tool: {"error":{"code":"unknown_tool","message":"There is no tool named delete_nothing"}}',
    'agent: It is paid back.',
    'user: Message 8!',
    'agent: Answer to message 8.',
  ]);
});
