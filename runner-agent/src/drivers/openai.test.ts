import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { describeFailure } from '@proofmark/domain/failure-reasons';
import { describe, expect, test } from 'vitest';
import { createModelClient } from '../models/model-client.ts';
import { replyCalls, replyText, replyWith, startModelDouble } from '../models/model-double.fixture.ts';
import { model, ringFor, runAgainst, secret } from './openai-story.fixture.ts';

test('one turn sends instructions and input, and counts tokens, cost and latency', async () => {
  await using server = await startModelDouble(replyText('From 9 to 17'));

  const outcome = await runAgainst(server);

  expect(outcome).toMatchObject({
    status: 'passed',
    response: 'From 9 to 17',
    model: 'served-model',
    usage: { promptTokens: 12, completionTokens: 5 },
    costUsd: (12 * 2 + 5 * 10) / 1e6,
    latencyMs: expect.any(Number),
    flags: [],
  });
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' },
  });
  expect(server.seen[0]?.body).toEqual({
    model: 'gpt-test',
    temperature: 0,
    messages: [
      { role: 'system', content: 'You are a support agent.' },
      { role: 'user', content: 'When do you open?' },
    ],
  });
});

test('the tools of the agent are offered as functions, with what they take, and none when it has none (S0-04)', async () => {
  await using server = await startModelDouble(replyText('ok'));
  const parameters = { type: 'object', properties: { day: { type: 'string' } } };
  await runAgainst(server, { agent: { tools: [{ name: 'get_hours', description: 'When we open', parameters }] } });
  await runAgainst(server);
  expect(server.seen[0]?.body.tools).toEqual([
    { type: 'function', function: { name: 'get_hours', description: 'When we open', parameters } },
  ]);
  expect(server.seen[1]?.body).not.toHaveProperty('tools');
});

test('MaxTokens is sent when it is set (S4-65)', async () => {
  await using server = await startModelDouble(replyText('ok'));
  await runAgainst(server, { model: { ...model, max_tokens: 7 } });
  expect(server.seen[0]?.body).toMatchObject({ max_tokens: 7 });
});

const renamed = {
  error: {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: 'invalid_request_error',
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
};

test('MaxTokens reaches a model that has another name for it, and from then on at once (S4-65)', async () => {
  await using server = await startModelDouble(replyWith(renamed, { status: 400 }), replyText('ok'));
  await using models = createModelClient({ keys: ringFor(server.baseUrl), now: () => new Date() });
  const ask = (settings: ModelSettings) =>
    models.chat(settings, { messages: [{ role: 'user', content: 'Hi' }] }, new AbortController().signal);
  const small = { ...model, model: 'o4-mini', max_tokens: 7 };

  expect(await ask(small)).toMatchObject({ ok: true, value: { text: 'ok' } });
  expect(await ask(small)).toMatchObject({ ok: true });
  expect(await ask({ ...small, model: 'gpt-4o' })).toMatchObject({ ok: true });

  const sent = server.seen.map(({ body }) => [body.model, body.max_tokens, body.max_completion_tokens]);
  expect(sent).toEqual([
    ['o4-mini', 7, undefined],
    ['o4-mini', undefined, 7],
    ['o4-mini', undefined, 7],
    ['gpt-4o', 7, undefined],
  ]);
});

test('a refusal of both names is an error of the agent after two requests, and other refusals after one (S4-65)', async () => {
  await using stubborn = await startModelDouble(replyWith(renamed, { status: 400 }));
  expect(await runAgainst(stubborn, { model: { ...model, max_tokens: 7 } })).toMatchObject({
    status: 'error',
    errorKind: 'agent',
    errorMessage: expect.stringContaining('max_completion_tokens'),
    pauses: [],
  });
  expect(stubborn.seen).toHaveLength(2);
  const tooLong = { error: { message: 'max_tokens is too large: 7', param: 'max_tokens', code: 'invalid_value' } };
  await using strict = await startModelDouble(replyWith(tooLong, { status: 400 }));
  await runAgainst(strict, { model: { ...model, max_tokens: 7 } });
  expect(strict.seen).toHaveLength(1);
  await using unlimited = await startModelDouble(replyWith(renamed, { status: 400 }));
  await runAgainst(unlimited);
  expect(unlimited.seen).toHaveLength(1);
});

test('a model that takes one temperature only says so, with what to do: no value is dropped silently (S4-64)', async () => {
  const error = {
    message:
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    param: 'temperature',
    code: 'unsupported_value',
  };
  await using server = await startModelDouble(replyWith({ error }, { status: 400 }));
  const outcome = await runAgainst(server);
  const advice =
    'Write the temperature that this model takes, usually 1, where another one stands (the variable Temperature or the AI configuration), or leave it out. ';
  expect(outcome.errorMessage).toMatch(new RegExp(`^${RegExp.escape(advice)}The provider at \\S+ answered 400`));
  expect(describeFailure(outcome)).toContain(advice);
  expect(server.seen).toHaveLength(1);
});

test('tool calls are answered from mocks in the order listed until the model has no more', async () => {
  await using server = await startModelDouble(
    replyCalls({ name: 'get_hours', args: '{"day":"monday"}' }, { name: 'nothing_like_it', args: '{}' }),
    replyText('From 9 to 17'),
  );

  const outcome = await runAgainst(server, {
    agent: { tools: [{ name: 'get_hours' }] },
    mocks: [{ tool: 'get_hours', when: { day: 'monday' }, returns: { open: 9, day: { $from: 'args.day' } } }],
    case: { expected_tool_calls: [{ tool: 'get_hours', expected_params: { day: 'monday' } }] },
  });

  expect(outcome).toMatchObject({
    status: 'passed',
    tools: { matched: true, problems: [] },
    usage: { promptTokens: 24, completionTokens: 10 },
    toolCalls: [
      { name: 'get_hours', args: { day: 'monday' }, result: { open: 9, day: 'monday' }, source: 'mock', error: null },
      { name: 'nothing_like_it', source: 'none', result: { error: { code: 'unknown_tool' } } },
    ],
  });
  expect(server.seen[1]?.body).toMatchObject({
    messages: [
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant', content: null },
      { role: 'tool', tool_call_id: 'call_0' },
      { role: 'tool', tool_call_id: 'call_1' },
    ],
  });
});

test('a call without an id is recorded and answered as an error (M8)', async () => {
  const call = { function: { name: 'get_hours', arguments: '{}' } };
  await using server = await startModelDouble(
    replyText('', { message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }),
    replyText('sorry'),
  );
  const outcome = await runAgainst(server, { agent: { tools: [{ name: 'get_hours' }] } });
  expect(outcome).toMatchObject({
    ...{ status: 'passed', response: 'sorry' },
    toolCalls: [{ name: 'get_hours', argsError: 'The call has no id', source: 'none' }],
  });
});

test.each([
  ['not JSON', '{"a":', 'The arguments are not JSON'],
  ['a list', '[1]', 'The arguments are not a JSON object'],
  ['nested too deeply', '['.repeat(70), 'The arguments are nested too deeply'],
])(
  'arguments that are %s are recorded, answered to the agent and match no parameters (M8)',
  async (_, args, argsError) => {
    await using server = await startModelDouble(replyCalls({ name: 'get_hours', args }), replyText('sorry'));

    const outcome = await runAgainst(server, {
      agent: { tools: [{ name: 'get_hours' }] },
      case: { expected_tool_calls: [{ tool: 'get_hours', expected_params: { day: 'monday' } }] },
    });

    expect(outcome).toMatchObject({
      status: 'failed',
      tools: { matched: false },
      toolCalls: [{ argsError, source: 'none' }],
    });
  },
);

test('a model that calls tools for ever ends at the limit', async () => {
  await using server = await startModelDouble(replyCalls({ name: 'get_hours', args: '{}' }));
  const outcome = await runAgainst(server, { agent: { tools: [{ name: 'get_hours' }] } });
  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'limit',
    errorMessage: 'The agent made more than 32 tool calls in one turn',
  });
  expect(outcome.toolCalls).toHaveLength(32);
});

test('a turn that is tried again starts from unused mocks', async () => {
  await using server = await startModelDouble(
    replyCalls({ name: 'get_hours', args: '{}' }),
    replyWith({ error: { message: 'overloaded' } }, { status: 503 }),
    replyCalls({ name: 'get_hours', args: '{}' }),
    replyText('From 9 to 17'),
  );

  const outcome = await runAgainst(server, {
    agent: { tools: [{ name: 'get_hours' }] },
    mocks: [{ tool: 'get_hours', returns: '9-17', times: 1 }],
  });

  expect(outcome).toMatchObject({ status: 'passed', retryCount: 1, toolCalls: [{ result: '9-17', source: 'mock' }] });
});

describe('unusual answers that are answers (M6)', () => {
  test.each([
    [
      'cut by the length limit',
      { finish_reason: 'length', message: { content: 'From 9' } },
      'From 9',
      ['cut_by_model'],
    ],
    ['a refusal', { finish_reason: 'stop', message: { content: null, refusal: 'I cannot' } }, 'I cannot', ['refusal']],
    ['an empty text', { finish_reason: 'stop', message: { content: '' } }, '', []],
    [
      'text in parts',
      {
        finish_reason: 'stop',
        message: {
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      },
      'ab',
      [],
    ],
  ])('%s', async (_, choice, response, flags) => {
    await using server = await startModelDouble(replyText('', choice));
    expect(await runAgainst(server)).toMatchObject({ status: 'passed', response, flags });
  });

  test('without usage the answer counts, and its tokens and cost are unknown (M7)', async () => {
    await using server = await startModelDouble(
      replyWith({ choices: [{ finish_reason: 'stop', message: { content: 'x' } }] }),
    );
    expect(await runAgainst(server)).toMatchObject({ status: 'passed', usage: null, costUsd: null, flags: [] });
  });

  test('nonsense in the usage is no usage, and the cost is unknown, not 0 (M7)', async () => {
    await using server = await startModelDouble(
      replyWith({
        choices: [{ finish_reason: 'stop', message: { content: 'x' } }],
        usage: { prompt_tokens: -1, completion_tokens: 1e12 },
      }),
    );
    expect(await runAgainst(server)).toMatchObject({ usage: null, costUsd: null, flags: ['usage_invalid'] });
  });
});
