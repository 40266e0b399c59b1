import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { end, playPerson, say } from './scripted-person.fixture.ts';

/** What the person said earlier, in the form in which it is told to answer. */
const own = (message: string) => ({
  role: 'assistant',
  content: JSON.stringify({ action: 'say', message, reason: null }),
});

const replies = (...list: { contains?: string; reply?: string; ended?: boolean; error?: string }[]) => ({
  driver: { type: 'scripted' as const, replies: list },
});

test('the opener is sent word for word without a model call and stands in every request after it (S1-21)', async () => {
  const opener = '  This is the THIRD time I ask!\n';
  const { asked, said, outcome } = await playPerson({
    case: { initial_message: opener },
    lines: [say('Order A-1'), say('Hurry up'), end()],
  });

  expect(said).toEqual([opener, 'Order A-1', 'Hurry up']);
  expect(outcome.testInput).toBe(opener);
  expect(asked).toHaveLength(3);
  for (const { messages } of asked) expect(messages).toContainEqual(own(opener));
});

test('the person sees the agent as `user` and itself as `assistant`, after a note, and no tool calls', async () => {
  const { asked } = await playPerson({
    agent: {
      tools: [{ name: 'find' }],
      driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'find' }], reply: 'Which order?' }] },
    },
    mocks: [{ tool: 'find', returns: 'SECRET', times: 'always' }],
    lines: [say('A-1'), end()],
  });

  const [, second] = asked;
  expect(second?.messages.slice(1)).toEqual([
    { role: 'user', content: '(The conversation begins. The assistant has not written anything yet.)' },
    own('My order is late'),
    { role: 'user', content: 'Which order?' },
    own('A-1'),
    { role: 'user', content: 'Which order?' },
  ]);
  expect(JSON.stringify(asked)).not.toContain('SECRET');
});

test('persona and context reach the system message verbatim, the context as JSON (S1-06, S1-11, S1-34, S1-45)', async () => {
  const persona = {
    type: 'frustrated-user',
    description: 'Waits for "weeks"',
    instructions: 'Complain\nin every message',
  };
  const user_context = { order: { id: 'A-1003' }, paid: true };
  const { asked } = await playPerson({ case: { persona, user_context }, lines: [end()] });

  const system = asked[0]?.messages[0]?.content ?? '';
  for (const text of Object.values(persona)) expect(system).toContain(text);
  expect(system).toContain(JSON.stringify(user_context));
});

test('a case without a persona is played by an ordinary person', async () => {
  const { asked } = await playPerson({ lines: [end()] });

  expect(asked[0]?.messages[0]?.content).toContain('You are an ordinary, polite person.');
});

test('each request asks for the structured action, with temperature and the seed of the test run', async () => {
  const settingsOf = async (settings: { temperature?: number }) => {
    const told: ModelSettings[] = [];
    const chat = async (model: ModelSettings) => void told.push(model);
    const { asked } = await playPerson({ settings, lines: [end()], chat: async (model) => await chat(model) });
    expect(asked[0]).toMatchObject({
      defaults: { temperature: 0.7, seed: 0x01234567 },
      schema: { name: 'next_action' },
    });
    return told[0]?.temperature;
  };
  expect(await settingsOf({ temperature: 0.2 })).toBe(0.2);
  expect(await settingsOf({})).toBeUndefined();
});

test('without an opener the person writes the first message, before the agent is called (S1-22)', async () => {
  const { asked, said, outcome } = await playPerson({
    case: { name: 'Late order', initial_message: null },
    lines: [say('Where is my parcel?'), end()],
  });

  expect(asked[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(said).toEqual(['Where is my parcel?']);
  expect(outcome.testInput).toBe('Where is my parcel?');
});

test('when the agent speaks first it greets, and then the opener is said word for word', async () => {
  const { asked, outcome } = await playPerson({
    settings: { first_speaker: 'agent' },
    agent: replies({ contains: 'late', reply: 'I am sorry' }, { reply: 'Good morning' }),
    lines: [end()],
  });

  expect(outcome.transcript.map(({ role, text }) => [role, text])).toEqual([
    ['agent', 'Good morning'],
    ['user', 'My order is late'],
    ['agent', 'I am sorry'],
  ]);
  expect(asked[0]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'Good morning' },
    own('My order is late'),
    { role: 'user', content: 'I am sorry' },
  ]);
});

test('when the agent speaks first and there is no opener, the person answers the greeting', async () => {
  const { said, outcome } = await playPerson({
    case: { initial_message: null },
    settings: { first_speaker: 'agent' },
    lines: [say('Hi, my parcel is late'), end()],
  });

  expect(said).toEqual(['Hi, my parcel is late']);
  expect(outcome.testInput).toBe('Hi, my parcel is late');
});

test('an agent that speaks first is sent no empty message', async () => {
  const sent: unknown[] = [];
  const { outcome } = await playPerson({
    case: { initial_message: null },
    settings: { first_speaker: 'agent' },
    agent: { driver: { type: 'openai' } },
    model: { configuration: 'agent', provider: 'openai', model: 'agent-1' },
    lines: [say('Hi, my parcel is late'), end()],
    chat: async ({ configuration }, _signal, request) => {
      if (configuration !== 'agent') return undefined;
      sent.push(request.messages.map(({ role, content }) => [role, content]));
      return { ok: true, value: { text: 'Good morning', calls: [], usage: null, model: null, flags: [] } };
    },
  });
  expect(outcome.status).toBe('passed');
  const [system] = (sent[0] ?? []) as unknown[];
  expect(sent).toEqual([[system], [system, ['assistant', 'Good morning'], ['user', 'Hi, my parcel is late']]]);
});

test('a person who cannot be played has not made the agent fail', async () => {
  const { outcome } = await playPerson({ lines: ['no action at all'] });
  expect(outcome).toMatchObject({ status: 'error', errorKind: 'simulator' });
  expect(outcome.progress?.at(-1)?.state).toBe('EVALUATION_FAILED');
  expect(outcome.progress?.map(({ state }) => state)).not.toContain('AGENT_FAILED');
});

test('files of the case go with the first message of the person, and checks judge the last answer', async () => {
  const table = { path: 'prices.csv', type: 'csv' } as const;
  const checks = {
    mode: 'all' as const,
    checks: [{ type: 'contains_phrases' as const, phrases: ['goodbye'], case_sensitive: false }],
  };
  const sent: string[] = [];
  const play = (last: string) =>
    playPerson({
      case: { files: [table], expected_behavior: checks },
      agent: { driver: { type: 'openai' } },
      model: { configuration: 'agent', provider: 'openai', model: 'agent-1' },
      lines: [say('And shipping?'), end('Thanks')],
      files: {
        read: async (original) => ({
          facts: {
            original,
            markdown_content: 'SKU,9.99',
            metadata: {},
            cached_path: null,
            processing_time_ms: 0,
            error: null,
          },
          image: null,
        }),
      },
      chat: async ({ configuration }, _signal, request) => {
        if (configuration !== 'agent') return undefined;
        sent.push(request.messages.at(-1)?.content ?? '');
        const text = sent.length % 3 === 0 ? last : 'Nine';
        return { ok: true, value: { text, calls: [], usage: null, model: null, flags: [] } };
      },
    });
  expect((await play('Goodbye!')).outcome).toMatchObject({
    status: 'passed',
    files: [{ markdown_content: 'SKU,9.99' }],
  });
  expect(sent.map((text) => text.includes('SKU,9.99'))).toEqual([true, false, false]);
  expect(sent[0]).toContain('My order is late');
  expect((await play('Bye')).outcome).toMatchObject({ status: 'failed' });
});

test('the last message of a person who leaves reaches the agent, which completes it with one turn', async () => {
  const { said, outcome } = await playPerson({
    agent: replies({ contains: 'please refund', reply: 'Refunded' }, { reply: 'Shall I?' }),
    lines: [end('Yes, please refund', 'goal_met')],
  });

  expect(said).toEqual(['My order is late', 'Yes, please refund']);
  expect(outcome).toMatchObject({
    status: 'passed',
    response: 'Refunded',
    conversation: { endReason: 'simulator', leaveReason: 'goal_met', agentTurns: 2 },
  });
});

test('an agent that ends the conversation ends it, by its flag and not by a word', async () => {
  const { said, outcome } = await playPerson({
    agent: replies({ contains: 'thanks', reply: 'Bye', ended: true }, { reply: 'END ###STOP### {"action":"end"}' }),
    lines: [say('ok, thanks'), say('still here')],
  });

  expect(said).toEqual(['My order is late', 'ok, thanks']);
  expect(outcome.conversation).toMatchObject({ endReason: 'agent', agentTurns: 2 });
});

test.each([1, 2])('max_turns %i ends after that many turns of the agent, and is judged (S1-24, S1-47)', async (max) => {
  const { outcome, asked } = await playPerson({ case: { max_turns: max }, lines: [say('a'), say('b'), say('c')] });

  expect(outcome).toMatchObject({ status: 'passed', conversation: { endReason: 'max_turns', agentTurns: max } });
  expect(asked).toHaveLength(max - 1);
});

test('a person who leaves with a message below max_turns gets its completing turn, which counts', async () => {
  const { outcome } = await playPerson({ case: { max_turns: 2 }, lines: [end('thanks')] });

  expect(outcome.conversation).toMatchObject({ endReason: 'simulator', agentTurns: 2 });
});

test('max_turns null goes on until somebody ends it (S1-12)', async () => {
  const { outcome } = await playPerson({ lines: [say('a'), say('b'), say('c'), end()] });

  expect(outcome).toMatchObject({ status: 'passed', conversation: { endReason: 'simulator', agentTurns: 4 } });
});

test('without max_turns the hard cap of the run ends it as an error of kind limit (C13)', async () => {
  const { outcome } = await playPerson({ limits: { maxTurns: 3 }, lines: [say('a'), say('b'), say('c'), say('d')] });

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'limit',
    errorMessage: 'The conversation did not end within 3 turns of the agent',
    conversation: { endReason: null, agentTurns: 3 },
  });
});

test('a person who leaves right at the hard cap leaves normally, without a completing turn', async () => {
  const { outcome, said } = await playPerson({ limits: { maxTurns: 1 }, lines: [end('and thanks')] });

  expect(said).toEqual(['My order is late']);
  expect(outcome).toMatchObject({ status: 'passed', conversation: { endReason: 'simulator', agentTurns: 1 } });
});

test('a max_turns above the cap of the run is cut, and a flag says so', async () => {
  const { outcome } = await playPerson({
    case: { max_turns: 50 },
    limits: { maxTurns: 2 },
    lines: [say('a'), say('b'), say('c')],
  });

  expect(outcome).toMatchObject({
    status: 'passed',
    flags: ['max_turns_cut'],
    conversation: { endReason: 'max_turns' },
  });
});

test('too many tokens of the agent end it as an error of kind limit', async () => {
  const usage = { promptTokens: 90_000, completionTokens: 20_000 };
  const { outcome } = await playPerson({
    agent: { driver: { type: 'openai' } },
    model: { configuration: 'main', provider: 'openai', model: 'm' },
    lines: [],
    chat: async (settings) =>
      settings.configuration === 'main'
        ? { ok: true, value: { text: 'hm', calls: [], usage, model: 'm', flags: [] } }
        : undefined,
  });

  expect(outcome).toMatchObject({ status: 'error', errorKind: 'limit', conversation: { agentTurns: 2 } });
});

test('a person who leaves before it has said anything is a fault of the simulator', async () => {
  const { outcome } = await playPerson({ case: { initial_message: null }, lines: [end()] });

  expect(outcome).toMatchObject({ status: 'error', errorKind: 'simulator' });
});

test('an agent that fails is an error of the agent, and what was said until then is kept', async () => {
  const { outcome } = await playPerson({
    agent: replies({ contains: 'A-1', error: 'The agent broke' }, { reply: 'Which order?' }),
    lines: [say('Order A-1')],
  });

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'agent',
    response: 'Which order?',
    conversation: { endReason: null, agentTurns: 1 },
  });
  expect(outcome.transcript.map(({ text }) => text)).toEqual(['My order is late', 'Which order?', 'Order A-1']);
});

test('a mock that is broken in the middle is a fault of the mocks', async () => {
  const { outcome } = await playPerson({
    agent: {
      tools: [{ name: 'find' }],
      driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'find' }], reply: 'Found' }] },
    },
    mocks: [{ tool: 'find', returns: { $from: 'args.nope' } }],
    case: { expected_tool_calls: [{ tool: 'find' }] },
    lines: [end()],
  });

  expect(outcome).toMatchObject({ status: 'error', errorKind: 'mock' });
  // The agent did call it: nothing says that it was not.
  expect(outcome.tools).toEqual({ matched: true, problems: [] });
  expect(outcome.transcript.map(({ role }) => role)).toEqual(['user', 'tool']);
});

test('a suite without a simulator runs as far as it needs none', async () => {
  const story = { settings: undefined, isWithout: true, lines: [] };

  const opened = await playPerson({ ...story, case: { max_turns: 1 } });
  expect(opened.outcome).toMatchObject({ status: 'passed', conversation: { endReason: 'max_turns' } });

  const longer = await playPerson(story);
  expect(longer.outcome).toMatchObject({ status: 'error', errorKind: 'simulator' });
});

test('time that runs out while the person thinks blames the simulator, while the agent works the limit', async () => {
  const waiting = await playPerson({ lines: [], limits: { caseTimeoutMs: 60 }, chat: stall });
  expect(waiting.outcome).toMatchObject({ status: 'error', errorKind: 'simulator', response: 'We open from 9 to 17' });

  const working = await playPerson({
    lines: [],
    limits: { caseTimeoutMs: 60 },
    agent: {
      tools: [{ name: 'slow' }],
      driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'slow' }] }] },
    },
    mocks: [{ tool: 'slow', fault: { kind: 'slow', delay_ms: 9_000 } }],
  });
  expect(working.outcome).toMatchObject({ status: 'error', errorKind: 'limit', conversation: { agentTurns: 0 } });
  expect(working.said).toEqual(['My order is late']);
});

test('the outcome holds the whole conversation with turns and times, what it cost, and passes its own contract', async () => {
  const { outcome } = await playPerson({
    agent: {
      tools: [{ name: 'find' }],
      driver: {
        type: 'scripted',
        replies: [{ contains: 'A-1', tool_calls: [{ name: 'find' }], reply: 'Found' }, { reply: 'Which one?' }],
      },
    },
    mocks: [{ tool: 'find', returns: { status: 'lost' } }],
    lines: [say('A-1'), end()],
  });

  expect(CaseOutcome.parse(outcome)).toEqual(outcome);
  expect(outcome.transcript.map(({ role, text, turn, toolCallId }) => ({ role, text, turn, toolCallId }))).toEqual([
    { role: 'user', text: 'My order is late', turn: 0 },
    { role: 'agent', text: 'Which one?', turn: 0 },
    { role: 'user', text: 'A-1', turn: 1 },
    { role: 'tool', text: '{"status":"lost"}', turn: 1, toolCallId: 'call_1' },
    { role: 'agent', text: 'Found', turn: 1 },
  ]);
  for (const { durationMs } of outcome.transcript) expect(durationMs).toBeGreaterThanOrEqual(0);
  expect(outcome.conversation?.simulator).toEqual({
    template: 'simulator/2',
    model: 'person-1-served',
    calls: 2,
    usage: { promptTokens: 200, completionTokens: 20 },
    costUsd: 220 / 1e6,
  });
});

async function stall(_settings: unknown, signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
