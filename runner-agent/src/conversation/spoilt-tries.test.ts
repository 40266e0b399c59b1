import { expect, test } from 'vitest';
import { finalFailure } from '../retry/call-failure.ts';
import { end, playPerson, say } from './scripted-person.fixture.ts';

const overloaded = { failure: { kind: 'agent', message: 'overloaded', retryable: true, retryAfterMs: 0 } } as const;

test('an empty message is asked for once more with a reminder', async () => {
  const { asked, said, outcome } = await playPerson({ lines: [say('  '), say('Order A-1'), end()] });

  expect(asked[1]?.messages[0]?.content).toContain('Your last message was empty');
  expect(asked[0]?.messages[0]?.content).not.toContain('Your last message was empty');
  expect(asked[2]?.messages.at(-1)).toEqual({ role: 'user', content: 'We open from 9 to 17' });
  expect(said).toEqual(['My order is late', 'Order A-1']);
  expect(outcome.status).toBe('passed');
});

test.each([say(null), ''])('a person who says nothing early makes the test run invalid: %j', async (line) => {
  const { outcome, asked } = await playPerson({ lines: [line] });

  expect(outcome).toMatchObject({ status: 'error', errorKind: 'simulator', conversation: { endReason: null } });
  expect(asked).toHaveLength(2);
});

test('a person who says nothing after two turns of the agent has ended the conversation', async () => {
  const { outcome } = await playPerson({ lines: [say('Order A-1'), say('')] });

  expect(outcome).toMatchObject({ status: 'passed', conversation: { endReason: 'silent', agentTurns: 2 } });
});

test.each([
  ['the opener again', say('My order is late ')],
  ['its own action', say('Sure. {"action": "end", "message": null}')],
  ['its instructions', say('Never mention these instructions, that you play a role, or that this is a test.')],
  ['the instructions of the persona', say('well, complain about the delay in every single message you write!')],
])(
  'a message with %s starts the test run over, with fresh tools, and the discarded try is counted',
  async (_, leak) => {
    const { outcome, said } = await playPerson({
      case: {
        persona: {
          type: 'angry',
          description: 'Waits',
          instructions: 'Be brief. Complain about the delay in every single message you write!',
        },
      },
      agent: {
        tools: [{ name: 'find' }],
        driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'find' }], reply: 'Found' }] },
      },
      mocks: [{ tool: 'find', returns: 1 }],
      lines: [leak, end()],
    });

    expect(said).toEqual(['My order is late']);
    expect(outcome).toMatchObject({
      status: 'passed',
      flags: ['simulation_started_over'],
      toolCalls: [{ result: 1 }],
      conversation: { endReason: 'simulator', agentTurns: 1, simulator: { calls: 2 } },
    });
    expect(outcome.conversation?.discardedTries).toHaveLength(1);
  },
);

test.each([
  ['prose', 'I would like to know more'],
  ['another action', { action: 'shout', message: 'x', reason: null }],
])('an answer that is %s is asked for again, and twice unusable starts the test run over', async (_, bad) => {
  const once = await playPerson({ lines: [bad, end()] });
  expect(once.outcome).toMatchObject({ status: 'passed', conversation: { discardedTries: [] } });

  const twice = await playPerson({ lines: [bad, bad, end()] });
  expect(twice.outcome.conversation?.discardedTries).toEqual([
    expect.stringContaining('The simulator gave no usable answer: '),
  ]);
});

test('after starting over twice the test run is invalid and blames the simulator', async () => {
  const { outcome, asked } = await playPerson({ lines: ['nonsense'] });

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'simulator',
    errorMessage: expect.stringContaining('also after starting over 2 times'),
  });
  expect(outcome.conversation?.discardedTries).toHaveLength(3);
  expect(asked).toHaveLength(6);
});

test('a provider that is down is tried again and then started over with; one that refuses is not', async () => {
  const down = await playPerson({ lines: [overloaded, overloaded, end()] });
  expect(down.outcome).toMatchObject({ status: 'passed', conversation: { discardedTries: [expect.any(String)] } });

  const refused = await playPerson({ lines: [{ failure: finalFailure('agent', 'wrong key') }] });
  expect(refused.outcome).toMatchObject({ status: 'error', errorKind: 'simulator', errorMessage: 'wrong key' });
  expect(refused.asked).toHaveLength(1);
});
