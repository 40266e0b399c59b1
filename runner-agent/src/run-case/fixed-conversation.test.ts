import type { Suite } from '@proofmark/contracts/suite';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { expect, test } from 'vitest';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { runOwn } from '../drivers/own-agent-story.fixture.ts';
import { runCase } from './run-case.ts';

const running = new AbortController().signal;

/** A desk that looks a parcel up and refunds it. */
const agent = {
  tools: [{ name: 'find' }, { name: 'refund' }],
  driver: {
    type: 'scripted' as const,
    replies: [
      { contains: 'parcel', reply: 'It is late.', tool_calls: [{ name: 'find', args: { id: 'A-1' } }] },
      { contains: 'money', reply: 'You get 20 euros.', tool_calls: [{ name: 'refund', args: { id: 'A-1' } }] },
      { contains: 'bye', reply: 'Goodbye.', ended: true },
      { reply: 'What is it about?' },
    ],
  },
};
const mocks: CaseStory['mocks'] = [
  { tool: 'find', returns: { state: 'late' }, times: 'always' },
  { tool: 'refund', returns: 'done', times: 'always' },
];
type Case = Partial<Suite['cases'][number]>;
const contains = (...phrases: string[]) => ({
  mode: 'all' as const,
  checks: [{ type: 'contains_phrases' as const, phrases, case_sensitive: false }],
});
const wants = (tool: string) => [{ tool, expected_params: null, forbidden: false }];
const play = (told: Case) => aCase({ agent, mocks, case: { input: told.turns?.[0]?.user ?? 'Hi', ...told } });

const turns: NonNullable<Case['turns']> = [
  { user: 'Hello?', expected_behavior: null, expected_tool_calls: null },
  { user: 'Where is my parcel?', expected_behavior: contains('late'), expected_tool_calls: wants('find') },
  { user: 'I want my money back', expected_behavior: contains('20'), expected_tool_calls: wants('refund') },
];

test('every answer is judged by what its turn expects, and the last one by what the case expects', async () => {
  const outcome = await runCase(play({ turns, expected_behavior: contains('euros') }), casePorts(), running);

  expect(outcome).toMatchObject({ status: 'passed', testInput: 'Hello?', response: 'You get 20 euros.' });
  expect(outcome.checks.map(({ turn, checkType, status }) => [turn, checkType, status])).toEqual([
    [1, 'contains_phrases', 'pass'],
    [2, 'contains_phrases', 'pass'],
    [undefined, 'contains_phrases', 'pass'],
  ]);
  expect(outcome.transcript.map(({ role, turn }) => [role, turn])).toEqual([
    ['user', 0],
    ['agent', 0],
    ['user', 1],
    ['tool', 1],
    ['agent', 1],
    ['user', 2],
    ['tool', 2],
    ['agent', 2],
  ]);
});

test('a turn fails by its own answer, although a later one would pass', async () => {
  const wrong = turns.map((turn, at) => (at === 1 ? { ...turn, expected_behavior: contains('20') } : turn));
  const outcome = await runCase(play({ turns: wrong }), casePorts(), running);

  expect(outcome.status).toBe('failed');
  expect(outcome.checks).toMatchObject([
    { turn: 1, status: 'fail', details: { missingPhrases: ['20'] } },
    { turn: 2, status: 'pass' },
  ]);
});

test('a tool that was called in another turn is missing in this one', async () => {
  const early = turns.map((turn, at) => (at === 1 ? { ...turn, expected_tool_calls: wants('refund') } : turn));
  const { status, tools } = await runCase(play({ turns: early }), casePorts(), running);

  expect(status).toBe('failed');
  expect(tools).toEqual({ matched: false, problems: [expect.stringMatching(/^turn 2: .*refund/)] });
});

test('turns behind the end of the conversation have failed, also those that expect nothing', async () => {
  const bye = { user: 'bye', expected_behavior: null, expected_tool_calls: null };
  const outcome = await runCase(play({ turns: [bye, ...turns] }), casePorts(), running);

  expect(outcome.status).toBe('failed');
  expect(outcome.checks.map(({ turn, details }) => [turn, details.reasoning])).toEqual(
    [1, 2, 3].map((turn) => [turn, 'The agent ended the conversation in turn 1']),
  );
});

test('judged again from what was kept, it is judged alike, and nobody is asked', async () => {
  const work = play({ turns, expected_behavior: contains('euros') });
  const before = await runCase(work, casePorts(), running);
  const recording = recordConversation('test-run', before);
  if (!recording.ok) throw new Error(recording.gap);
  const silent = {
    ...agent,
    driver: { type: 'scripted' as const, replies: [{ contains: 'nothing fits', reply: 'x' }] },
  };
  const again = await runCase(
    { ...aCase({ agent: silent, case: work.case }), recorded: recording.recorded },
    casePorts(),
    running,
  );

  expect(again.checks).toEqual(before.checks);
  expect(again.tools).toEqual(before.tools);
});

test('a program is told what was said before, once, and judges read it', async () => {
  const messages: NonNullable<Case['messages']> = [
    { role: 'user', content: 'My name is Ada.' },
    { role: 'assistant', content: 'Hello Ada.' },
  ];
  const answer =
    'import json,sys;[print(json.dumps({"output": json.dumps(json.loads(l).get("history"))}),flush=True) for l in sys.stdin]';
  const outcome = await runOwn({
    agent: { driver: { type: 'command', command: ['python3', '-c', answer] } },
    case: {
      input: 'Who am I?',
      messages,
      turns: [
        { user: 'Who am I?', expected_behavior: contains('my name is ada') },
        { user: 'And now?', expected_behavior: contains('null') },
      ],
    },
  });

  expect(outcome.status).toBe('passed');
  expect(outcome.transcript.slice(0, 3)).toMatchObject([
    { role: 'user', text: 'My name is Ada.' },
    { role: 'agent', text: 'Hello Ada.' },
    { role: 'user', text: 'Who am I?', turn: 0 },
  ]);
  expect(outcome.transcript[0]).not.toHaveProperty('turn');
});

test('a model is given the history as messages of its own', async () => {
  const asked: unknown[] = [];
  const chat = async (_model: unknown, request: { messages: readonly unknown[] }) => {
    asked.push([...request.messages]);
    return { ok: true as const, value: { text: 'Ada', calls: [], usage: null, model: null, flags: [] } };
  };
  const embed = async (): Promise<never> => {
    throw new Error('Nothing is embedded here');
  };
  const work = aCase({
    agent: { driver: { type: 'openai' }, ai_configuration: 'm' },
    model: { configuration: 'm', provider: 'openai', model: 'm-1' },
    case: {
      messages: [
        { role: 'user', content: 'I am Ada.' },
        { role: 'assistant', content: 'Hi.' },
      ],
    },
  });
  await runCase(work, casePorts({ models: { chat, embed } }), running);

  expect(asked).toMatchObject([
    [
      { role: 'system' },
      { role: 'user', content: 'I am Ada.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user' },
    ],
  ]);
});
