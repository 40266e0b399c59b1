import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { ServiceMapping } from '@proofmark/contracts/service';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { readKeyRing } from '../models/key-ring.ts';
import { replyWith, startModelDouble } from '../models/model-double.fixture.ts';
import { runCase } from '../run-case/run-case.ts';
import { conversing, turns } from './own-agent-story.fixture.ts';
import { reachAgents } from './reach-agents.ts';

type Mapping = z.input<typeof ServiceMapping>;
type Replies = Parameters<typeof startModelDouble>;

const simple: Mapping = { request: { message: { $from: 'input' } }, response: 'reply.text' };

async function run(mapping: Mapping, replies: Replies, story: CaseStory = {}) {
  await using server = await startModelDouble(...replies);
  const ring = readKeyRing({}, { allowsLoopback: true });
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  await using reach = reachAgents({ keys: ring.keys, now: () => new Date(), programs: null });
  const driver = { type: 'http' as const, url: `${server.baseUrl}/chat`, mapping };
  const outcome: CaseOutcome = await runCase(
    aCase({ ...story, agent: { driver, ...story.agent } }),
    casePorts({ reach, pause: async () => undefined, ...conversing(story) }),
    new AbortController().signal,
  );
  return { outcome, seen: server.seen.map(({ body }) => body) };
}

test('a service is asked as the template says, and answers where the path leads', async () => {
  const { outcome, seen } = await run(
    {
      ...simple,
      request: {
        query: { text: { $from: 'input' }, day: { $from: 'variables.Day' } },
        system: { $from: 'instructions' },
        first: { $from: 'turn' },
        label: { $concat: ['turn ', { $from: 'turn' }] },
        channel: 'test',
      },
    },
    [replyWith({ reply: { text: 'From 9 to 17' } })],
    { variables: { Day: 'monday' } },
  );
  expect(outcome).toMatchObject({ status: 'passed', response: 'From 9 to 17', usage: null, model: null });
  expect(seen).toEqual([
    {
      query: { text: 'When do you open?', day: 'monday' },
      system: 'You are a support agent.',
      ...{ first: 0, label: 'turn 0', channel: 'test' },
    },
  ]);
});

test('its session key goes back with the next turn, and so does what was said', async () => {
  const { outcome, seen } = await run(
    {
      ...simple,
      request: { message: { $from: 'input' }, session: { $from: 'session' }, before: { $from: 'history' } },
      session: 'meta.session_id',
    },
    [
      replyWith({ reply: { text: 'One.' }, meta: { session_id: 's-1' } }),
      replyWith({ reply: { text: 'Two.' }, meta: { session_id: 's-2' } }),
      // A service may name its session once.
      replyWith({ reply: { text: 'Three.' } }),
    ],
    turns(3),
  );
  expect(outcome).toMatchObject({ status: 'passed', response: 'Three.' });
  expect(seen.map(({ message, session }) => [message, session])).toEqual([
    ['Hello', null],
    ['More.', 's-1'],
    ['More.', 's-2'],
  ]);
  expect(seen[2]?.before).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'One.' },
    { role: 'user', content: 'More.' },
    { role: 'assistant', content: 'Two.' },
  ]);
});

test('the tools that it called, its usage and its model are read where the mapping points to', async () => {
  const { outcome } = await run(
    {
      ...simple,
      tool_calls: { path: 'trace.steps', name: 'tool.id', args: 'input' },
      usage: { prompt_tokens: 'tokens[0]', completion_tokens: 'tokens[1]' },
      model: 'engine',
    },
    [
      replyWith({
        reply: { text: 'Done.' },
        trace: { steps: [{ tool: { id: 'refund' }, input: { order: 7 }, result: 'ok' }, { tool: { id: 'mail' } }] },
        ...{ tokens: [30, 4], engine: 'own-1' },
      }),
    ],
    { case: { expected_tool_calls: [{ tool: 'refund', expected_params: { order: 7 } }] } },
  );
  expect(outcome).toMatchObject({
    ...{ status: 'passed', model: 'own-1', usage: { promptTokens: 30, completionTokens: 4 } },
    tools: { matched: true },
    toolCalls: [
      { name: 'refund', args: { order: 7 }, result: 'ok', source: 'reported' },
      { name: 'mail', args: {}, result: null, source: 'reported' },
    ],
  });
});

test('a service may end the conversation, with a flag and never with a word', async () => {
  const ended = await run(
    { ...simple, ended: 'done' },
    [replyWith({ reply: { text: 'Goodbye.' }, done: true })],
    turns(3),
  );
  expect(ended.outcome.conversation).toMatchObject({ endReason: 'agent', agentTurns: 1 });
  expect(ended.seen).toHaveLength(1);
});

test.each<[string, Mapping, unknown, string]>([
  ['no text', simple, { reply: {} }, 'no text at reply.text'],
  ['a number', simple, { reply: { text: 5 } }, 'no text at reply.text'],
  ['a list', simple, ['x'], 'no text at reply.text'],
  ['a key of the prototype', { ...simple, response: 'constructor.name' }, {}, 'no text at constructor.name'],
  [
    'calls that are no list',
    { ...simple, tool_calls: { path: 'calls' } },
    { reply: { text: 'x' }, calls: 'none' },
    'no list at calls',
  ],
  [
    'a call without a name',
    { ...simple, tool_calls: { path: 'calls' } },
    { reply: { text: 'x' }, calls: [{ args: {} }] },
    'Call 1 at calls has no name at name',
  ],
  [
    'a template that leads nowhere',
    { ...simple, request: { $from: 'variables.Dya' } },
    {},
    'driver.mapping.request: there is nothing at variables.Dya',
  ],
])('%s is an error of the agent that says where', async (_, mapping, answer, message) => {
  const { outcome } = await run(mapping, [replyWith(answer)]);
  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'agent',
    errorMessage: expect.stringContaining(message),
  });
});

test('nonsense as usage is no usage, and says so', async () => {
  const { outcome } = await run({ ...simple, usage: { prompt_tokens: 'in', completion_tokens: 'out' } }, [
    replyWith({ reply: { text: 'x' }, in: -1, out: 'many' }),
  ]);
  expect(outcome).toMatchObject({ usage: null, flags: ['usage_invalid'] });
});

test('an answer that failed leaves no trace in the session', async () => {
  const { seen, outcome } = await run(
    { ...simple, request: { session: { $from: 'session' }, turn: { $from: 'turn' } }, session: 's' },
    [replyWith({ s: 'broken' }, { status: 503 }), replyWith({ reply: { text: 'Back.' }, s: 'fine' })],
  );
  expect(outcome).toMatchObject({ status: 'passed', retryCount: 1 });
  expect(seen).toEqual([
    { session: null, turn: 0 },
    { session: null, turn: 0 },
  ]);
});
