import type { ScriptedReply } from '@proofmark/contracts/agent-file';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from '../run-case/run-case.ts';

type Replies = z.input<typeof ScriptedReply>[];

const run = (replies: Replies, story: CaseStory = {}) =>
  runCase(
    aCase({ ...story, agent: { driver: { type: 'scripted', replies }, ...story.agent } }),
    casePorts(),
    new AbortController().signal,
  );

test('the first reply whose text occurs in the message is given, one without a text fits all', async () => {
  const replies = [
    { contains: 'close', reply: 'At 17' },
    { contains: 'open', reply: 'At 9' },
    { reply: 'I do not know' },
    { contains: 'When', reply: 'never reached' },
  ];
  expect(await run(replies)).toMatchObject({ status: 'passed', response: 'At 9' });
  expect(await run(replies, { case: { input: 'When?' } })).toMatchObject({ response: 'I do not know' });
});

test('nothing is invented: usage, model and cost are unknown', async () => {
  expect(await run([{ reply: 'At 9' }])).toMatchObject({ usage: null, model: null, costUsd: null, flags: [] });
});

test('its tools are called before it speaks, from the mocks of the suite', async () => {
  const outcome = await run(
    [{ tool_calls: [{ name: 'get_hours', args: { day: 'monday' } }, { name: 'no_tool' }], reply: 'At 9' }],
    {
      agent: { tools: [{ name: 'get_hours' }] },
      mocks: [{ tool: 'get_hours', when: { day: 'monday' }, returns: '9-17' }],
    },
  );
  expect(outcome).toMatchObject({
    ...{ status: 'passed', response: 'At 9' },
    toolCalls: [
      { name: 'get_hours', result: '9-17', source: 'mock' },
      { name: 'no_tool', source: 'none', error: expect.stringMatching(/^unknown_tool:/) },
    ],
  });
});

test.each<[string, Replies, string]>([
  ['an error of its script', [{ error: 'The database is down' }], 'The database is down'],
  ['a message without a reply', [{ contains: 'close', reply: 'At 17' }], 'No scripted reply matches the message'],
])('%s is an error of the agent, and is not tried again', async (_, replies, errorMessage) => {
  expect(await run(replies)).toMatchObject({
    ...{ status: 'error', errorKind: 'agent', errorMessage, response: null, retryCount: 0 },
  });
});
