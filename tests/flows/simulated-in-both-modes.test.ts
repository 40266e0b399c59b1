import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import type { Rule } from '../stack/model/rules.ts';
import { type BothModes, openBothModes, type Story } from './both-modes.ts';
import { patient, type Suite } from './running-product.ts';

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
function timeless({ transcript, toolCalls, conversation, status, tools, mocks }: CaseOutcome) {
  return {
    transcript: transcript.map(({ durationMs: _took, toolCallId: _id, ...turn }) => turn),
    toolCalls: toolCalls.map(({ durationMs: _took, id: _id, ...made }) => made),
    ...{ conversation, status, tools, mocks },
  };
}

let world: BothModes;
beforeAll(async () => {
  world = await openBothModes();
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

/** What the one case came to, which is the same in both modes. */
async function inBothModes(story: Story): Promise<CaseOutcome> {
  const [here, there] = [await world.tell(story, 'in this process'), await world.tell(story, 'on a runner')];
  const outcome = here.ended[0]?.outcome;
  if (outcome === undefined) throw new Error('The case was not run');
  expect(there.ended.map((one) => timeless(one.outcome))).toEqual([timeless(outcome)]);
  return outcome;
}

it('a conversation of 8 turns with tools is the same in one process and on a runner', patient, async () => {
  const here = await inBothModes({ suite, rules: () => rules });
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

const spoiltSuite: Suite = {
  ...suite,
  files: [
    ...suite.files.slice(0, 1),
    {
      path: 'evals/refund.suite.yaml',
      text: `
name: Refunds
agent:
  name: Desk
  instructions: You help customers of a shop.
  ai_configuration: desk
  tools: [{ name: get_order }, { name: note }]
simulator: { ai_configuration: person, first_speaker: agent }
mocks:
  - { tool: get_order, sequence: [{ fault: { kind: http_error, status: 503 } }, { returns: { status: lost } }] }
  - { tool: note, returns: { n: { $from: call } }, times: 2 }
cases:
  - name: Patient customer
    initial_message: My order is late
    user_context: { order_id: A-1 }
    expected_tools: [get_order, note]
`,
    },
  ],
};

/** A person who spoils two tries, falls silent once in the third, and takes its leave with a last message. */
function spoiltRules(): Rule[] {
  const say = (message: string | null) => JSON.stringify({ action: 'say', message, reason: null });
  const lines = [
    ...['I would ask for my order.', 'I would still ask.'],
    say('My order is late'),
    ...[say('It is order A-1'), say(null), say('Are you there?')],
    JSON.stringify({ action: 'end', message: 'Thanks, bye', reason: 'goal_met' }),
  ];
  const agent = (user: string, tool: string, reply: string): Rule => ({
    when: { model: 'agent-1', user },
    toolCalls: [{ name: tool, arguments: {} }],
    reply,
  });
  return [
    { when: { model: 'person-1' }, reply: () => lines.shift() ?? 'The person has nothing left to say.' },
    agent('My order is late', 'note', 'Which order?'),
    agent('It is order A-1', 'get_order', 'There was trouble.'),
    agent('Are you there?', 'get_order', 'It was lost.'),
    agent('Thanks, bye', 'note', 'Goodbye.'),
    { when: { model: 'agent-1' }, reply: 'Hello!' },
  ];
}

it(
  'spoilt tries, faults of tools and a last message come to the same in one process and on a runner',
  patient,
  async () => {
    const here = await inBothModes({ suite: spoiltSuite, rules: spoiltRules });
    const { transcript, conversation, status, toolCalls } = here;
    expect({ status, conversation }).toMatchObject({
      status: 'passed',
      conversation: {
        endReason: 'simulator',
        leaveReason: 'goal_met',
        agentTurns: 5,
        discardedTries: [
          expect.stringContaining('gave no usable answer'),
          expect.stringContaining('repeated its first message'),
        ],
        simulator: { calls: 7 },
      },
    });
    // Each try begins with fresh mocks, and only the last one is the conversation.
    expect(toolCalls.map(({ name, entry, turn }) => `${turn} ${name} ${entry}`)).toEqual([
      '1 note 1',
      '2 get_order 0',
      '3 get_order 0',
      '4 note 1',
    ]);
    expect(transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'agent: Hello!',
      'user: My order is late',
      'tool: {"n":1}',
      'agent: Which order?',
      'user: It is order A-1',
      'tool: {"error":{"code":"http_503","message":"The tool answered with status 503"}}',
      'agent: There was trouble.',
      'user: Are you there?',
      'tool: {"status":"lost"}',
      'agent: It was lost.',
      'user: Thanks, bye',
      'tool: {"n":2}',
      'agent: Goodbye.',
    ]);
  },
);
