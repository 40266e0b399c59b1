import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { readKeyRing } from '../models/key-ring.ts';
import { runCase } from '../run-case/run-case.ts';
import { conversing, turns } from './own-agent-story.fixture.ts';
import { reachAgents } from './reach-agents.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'module-agents-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs the case with an agent that is this text of TypeScript. */
async function run(
  text: string,
  {
    story = {},
    environment = {},
    isAllowed = true,
    name = 'agent.ts',
  }: { story?: CaseStory; environment?: Record<string, string>; isAllowed?: boolean; name?: string } = {},
): Promise<CaseOutcome> {
  await writeFile(join(directory, name), text);
  const ring = readKeyRing({}, { allowsLoopback: true });
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  const programs = isAllowed ? { directory, environment: { PATH: process.env.PATH, ...environment } } : null;
  await using reach = reachAgents({ keys: ring.keys, now: () => new Date(), programs });
  return await runCase(
    aCase({
      limits: { agentTimeoutMs: 10_000, caseTimeoutMs: 20_000 },
      ...story,
      agent: { driver: { type: 'module', file: name }, ...story.agent },
    }),
    casePorts({ reach, pause: async () => undefined, ...conversing(story) }),
    new AbortController().signal,
  );
}

test('a function that returns a text is an agent, and what it prints is not its answer', async () => {
  const text = `export default ({ input, variables }: { input: string; variables: Record<string, string> }): string => {
    console.log('{"output": "printed"}');
    return input + ' on ' + variables.Day;
  };`;
  expect(await run(text, { story: { variables: { Day: 'monday' } } })).toMatchObject({
    ...{ status: 'passed', response: 'When do you open? on monday' },
  });
});

test('it hears what was said before, and may tell calls, tokens and cost', async () => {
  const text = `export default async ({ messages, turn }) => ({
    output: messages.map(({ role }) => role).join(' '),
    tool_calls: [{ name: 'look', args: { turn } }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
    cost_usd: 0.5,
    model: 'own',
  });`;
  expect(await run(text, { story: turns(2) })).toMatchObject({
    ...{ response: 'user assistant user', costUsd: 1, model: 'own', usage: { promptTokens: 6, completionTokens: 8 } },
    toolCalls: [
      { name: 'look', args: { turn: 0 } },
      { name: 'look', args: { turn: 1 } },
    ],
  });
});

test('it calls the tools of the suite, several at once as well, and gets what the mocks say', async () => {
  const text = `export default async ({ callTool }) => {
    const hours = await Promise.all([callTool('get_hours', { day: 'monday' }), callTool('get_hours', { day: 'sunday' })]);
    return JSON.stringify(hours);
  };`;
  const story: CaseStory = {
    agent: { tools: [{ name: 'get_hours' }] },
    mocks: [{ tool: 'get_hours', returns: { day: { $from: 'args.day' } }, times: 'always' }],
  };
  expect(await run(text, { story })).toMatchObject({
    response: '[{"day":"monday"},{"day":"sunday"}]',
    toolCalls: [{ source: 'mock' }, { source: 'mock' }],
  });
});

test.each([
  ['a throw', 'export default () => {\n  throw new Error("no model");\n};', 'The agent failed: agent.ts:2: no model'],
  ['no text', 'export default () => 5;', 'agent.ts must return a text, or { output: a text }'],
  ['no function', 'export const agent = 1;', 'agent.ts must export default a function'],
])('%s is an error of the agent', async (_, text, message) => {
  expect(await run(text)).toMatchObject({
    status: 'error',
    errorKind: 'agent',
    errorMessage: expect.stringContaining(message),
  });
});

test('it gets no key but what whoever runs it gives it, and that does not come back', async () => {
  const text = 'export default () => JSON.stringify(process.env);';
  const environment = { OPENAI_API_KEY: 'sk-test-0123456789abcdefghij' };
  expect((await run(text, { environment })).response).not.toContain('OPENAI_API_KEY');
  const given = await run(text, { environment: { ...environment, PROOFMARK_PROGRAM_ENVS: 'OPENAI_API_KEY' } });
  expect(given.response).toContain('"OPENAI_API_KEY":"[masked]"');
});

test('a runner without programs refuses it', async () => {
  expect(await run('', { isAllowed: false })).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('run where their repository is'),
  });
});
