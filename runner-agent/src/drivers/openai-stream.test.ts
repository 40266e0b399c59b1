import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { describe, expect, test } from 'vitest';
import type { CaseStory } from '../case/a-case.fixture.ts';
import { createModelClient } from '../models/model-client.ts';
import {
  asEvent,
  chunk,
  done,
  type ModelDouble,
  replyEvents,
  replyText,
  replyWith,
  startModelDouble,
  usageChunk,
} from '../models/model-double.fixture.ts';
import { model, ringFor, runAgainst, runStreamed, streaming } from './openai-story.fixture.ts';

const withTools: CaseStory = {
  agent: { tools: [{ name: 'get_hours' }] },
  mocks: [{ tool: 'get_hours', returns: '9-17', times: 'always' }],
};

/** An outcome without what differs from run to run: its times. */
const lasting = (outcome: CaseOutcome & { pauses: number[] }): unknown =>
  JSON.parse(JSON.stringify({ ...outcome, pauses: [] }, (key, value) => (/Ms$|At$/.test(key) ? 0 : value)));

test('a stream is asked for with its usage, and only where the configuration says so', async () => {
  await using server = await startModelDouble(
    replyEvents(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'From 9' }),
      chunk({ content: ' to 17' }),
      chunk({}, 'stop'),
      usageChunk(),
      done,
    ),
    replyText('From 9 to 17'),
  );
  const streamed = await runStreamed(server);
  const whole = await runAgainst(server, { model: { ...model, stream: false } });
  expect(streamed).toMatchObject({
    status: 'passed',
    response: 'From 9 to 17',
    model: 'served-model',
    usage: { promptTokens: 12, completionTokens: 5 },
    costUsd: (12 * 2 + 5 * 10) / 1e6,
  });
  expect(lasting(streamed)).toEqual(lasting(whole));
  expect(server.seen[0]?.headers.accept).toBe('text/event-stream');
  expect(server.seen[0]?.body).toEqual({
    ...server.seen[1]?.body,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(server.seen[1]?.body).not.toHaveProperty('stream');
});

describe('what a stream says is what the same answer says in one piece', () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ];
  const call = (args: string, index: number) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'get_hours', arguments: args },
  });
  test.each([
    ['cut by the length limit', { content: 'From 9' }, 'length', [{ content: 'From' }, { content: ' 9' }]],
    [
      'a refusal',
      { content: null, refusal: 'I cannot' },
      'stop',
      [{ content: null, refusal: 'I ' }, { refusal: 'cannot' }],
    ],
    ['an empty text', { content: '' }, 'stop', [{ role: 'assistant', content: '' }]],
    ['text in parts', { content: parts }, 'stop', [{ content: [parts[0]] }, { content: [parts[1]] }]],
    ['no content at all', { content: null }, 'stop', [{ role: 'assistant' }]],
    ['a content filter', { content: 'x' }, 'content_filter', [{ content: 'x' }]],
    ['an unknown reason to end', { content: 'x' }, 'tired', [{ content: 'x' }]],
    [
      'arguments that are not JSON',
      { content: null, tool_calls: [call('{"a":', 0)] },
      'tool_calls',
      [{ tool_calls: [call('{"a', 0)] }, { tool_calls: [{ index: 0, function: { arguments: '":' } }] }],
    ],
    [
      'text beside calls',
      { content: 'I look', tool_calls: [call('{}', 0), call('{}', 1)] },
      'tool_calls',
      [{ content: 'I look' }, { tool_calls: [call('{}', 0)] }, { tool_calls: [call('{}', 1)] }],
    ],
  ])('%s', async (_, message, finish, deltas) => {
    await using server = await startModelDouble(
      replyWith({
        model: 'served-model',
        choices: [{ message, finish_reason: finish }],
        usage: { prompt_tokens: 12, completion_tokens: 5 },
      }),
      replyText('From 9 to 17'),
    );
    await using streaming = await startModelDouble(
      replyEvents(...deltas.map((delta) => chunk(delta)), chunk({}, finish), usageChunk(), done),
      replyEvents(chunk({ content: 'From 9 to 17' }, 'stop'), usageChunk(), done),
    );
    const whole = await runAgainst(server, withTools);
    const streamed = await runStreamed(streaming, withTools);
    expect(lasting(streamed)).toEqual(lasting(whole));
    expect(streaming.seen.map(({ body }) => body.messages)).toEqual(server.seen.map(({ body }) => body.messages));
  });
});

describe('tool calls come in fragments', () => {
  const start = (index: number | undefined, id: string, args = '') => ({
    ...(index === undefined ? {} : { index }),
    ...{ id, type: 'function', function: { name: 'get_hours', arguments: args } },
  });
  const more = (index: number | undefined, args: string, other: object = {}) => ({
    ...(index === undefined ? {} : { index }),
    ...{ function: { arguments: args }, ...other },
  });
  test.each([
    [
      'joined by index',
      [[start(0, 'a')], [more(0, '{"day":')], [more(0, '"mon"}')], [start(1, 'b', '{"day":')], [more(1, '"tue"}')]],
    ],
    [
      'interleaved',
      [
        [start(0, 'a', '{"day"'), start(1, 'b', '{"day')],
        [more(1, '":"tue"}'), more(0, ':"mon"}')],
      ],
    ],
    ['in another order than their indexes', [[start(1, 'b', '{"day":"tue"}')], [start(0, 'a', '{"day":"mon"}')]]],
    [
      'with an id in every fragment',
      [
        [start(0, 'a')],
        [more(0, '{"day":"mon"}', { id: 'a' })],
        [start(1, 'b')],
        [more(1, '{"day":"tue"}', { id: 'b' })],
      ],
    ],
    [
      'with a new id in every fragment, but one name',
      [
        [start(0, 'a')],
        [more(0, '{"day":"mon"}', { id: 'x' })],
        [start(1, 'b')],
        [more(1, '{"day":"tue"}', { id: 'y' })],
      ],
    ],
    ['all with index 0', [[start(0, 'a', '{"day":"mon"}')], [start(0, 'b', '{"day":')], [more(0, '"tue"}')]]],
    [
      'without an index',
      [[start(undefined, 'a', '{"day":"mon"}')], [start(undefined, 'b', '{"day":')], [more(undefined, '"tue"}')]],
    ],
  ])('%s', async (_, fragments) => {
    await using server = await startModelDouble(
      replyEvents(...fragments.map((tool_calls) => chunk({ tool_calls })), chunk({}, 'tool_calls'), usageChunk(), done),
      replyEvents(chunk({ content: 'From 9 to 17' }, 'stop'), usageChunk(), done),
    );
    const outcome = await runStreamed(server, withTools);
    expect(outcome).toMatchObject({
      status: 'passed',
      usage: { promptTokens: 24, completionTokens: 10 },
      toolCalls: [
        { id: 'a', name: 'get_hours', args: { day: 'mon' }, argsError: null },
        { id: 'b', name: 'get_hours', args: { day: 'tue' }, argsError: null },
      ],
    });
  });
});

describe('usage of a stream', () => {
  const counted = (prompt_tokens: number, completion_tokens: number) => ({ prompt_tokens, completion_tokens });
  test.each([
    [
      'beside the last choice',
      [{ ...chunk({}, 'stop'), usage: counted(12, 5) }],
      { promptTokens: 12, completionTokens: 5 },
      [],
    ],
    [
      'counted on from chunk to chunk',
      [
        { ...chunk({}), usage: counted(12, 1) },
        { ...chunk({}, 'stop'), usage: counted(12, 5) },
      ],
      { promptTokens: 12, completionTokens: 5 },
      [],
    ],
    [
      'not forgotten by a chunk behind it',
      [
        { ...chunk({}, 'stop'), usage: counted(12, 5) },
        { choices: [], usage: null },
      ],
      { promptTokens: 12, completionTokens: 5 },
      [],
    ],
    [
      'null before it is known',
      [{ ...chunk({}, 'stop'), usage: null }, usageChunk(counted(3, 4))],
      { promptTokens: 3, completionTokens: 4 },
      [],
    ],
    [
      'with tokens that were cached',
      [chunk({}, 'stop'), usageChunk({ ...counted(12, 5), prompt_tokens_details: { cached_tokens: 8 } })],
      { promptTokens: 12, completionTokens: 5, cachedTokens: 8 },
      [],
    ],
    ['missing is unknown, not 0', [chunk({}, 'stop')], null, []],
    ['nonsense is unknown, and said', [chunk({}, 'stop'), usageChunk(counted(-1, 1e12))], null, ['usage_invalid']],
  ])('%s', async (_, events, usage, flags) => {
    await using server = await startModelDouble(replyEvents(chunk({ content: 'From 9 to 17' }), ...events, done));
    expect(await runStreamed(server)).toMatchObject({
      status: 'passed',
      usage,
      flags,
      ...(usage === null ? { costUsd: null } : {}),
    });
  });
});

const text = chunk({ content: 'From 9 to 17' });
const end = chunk({}, 'stop');

test('a server that does not count streams is asked once, and from then on without: the tokens are unknown', async () => {
  const refusal = { error: { message: 'Unrecognized request argument supplied: stream_options', code: null } };
  const strict = replyWith(refusal, { status: 400 });
  await using server = await startModelDouble(strict, replyEvents(text, end, done));
  await using models = clientFor(server);
  const ask = () => models.chat(streaming, question, new AbortController().signal);
  expect(await ask()).toMatchObject({ ok: true, value: { text: 'From 9 to 17', usage: null, flags: [] } });
  expect(await ask()).toMatchObject({ ok: true });
  expect(server.seen.map(({ body }) => [body.stream, body.stream_options])).toEqual([
    [true, { include_usage: true }],
    [true, undefined],
    [true, undefined],
  ]);
  await using stubborn = await startModelDouble(strict);
  expect(await runStreamed(stubborn)).toMatchObject({ status: 'error', errorKind: 'agent', retryCount: 0 });
  expect(stubborn.seen).toHaveLength(2);
});

describe('a stream is over', () => {
  test('with [DONE], whatever comes behind it and however long its connection stays open (M5)', async () => {
    await using server = await startModelDouble((answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write([text, end, usageChunk(), done, chunk({ content: ' or not' }), 'data: {'].map(asEvent).join(''));
    });
    const outcome = await runStreamed(server, { limits: { agentTimeoutMs: 5_000 } });
    expect(outcome).toMatchObject({ status: 'passed', response: 'From 9 to 17', retryCount: 0 });
  });

  test.each([
    ['with the connection, when the answer has a finish_reason but nobody says [DONE] (M5)', [text, end, usageChunk()]],
    ['even if its last event lacks the blank line', [text, end, usageChunk(), 'data: [DONE]']],
    ['even if what comes last cannot be read', [text, end, usageChunk(), 'data: {"choi']],
    [
      'and keep-alives, empty events and choices of others in it count for nothing',
      [
        ': ping\n\n',
        'data:\n\n',
        'event: ping\ndata: {"type":"ping"}\n\n',
        text,
        { choices: [{ index: 1, delta: { content: 'No.' }, finish_reason: 'length' }] },
        end,
        usageChunk(),
        done,
      ],
    ],
    [
      'with CRLF at the end of its lines',
      [asEvent(text), asEvent(end), asEvent(usageChunk()), done].map((event) => event.replaceAll('\n', '\r\n')),
    ],
  ])('%s', async (_, events) => {
    await using server = await startModelDouble(replyEvents(...events));
    expect(await runStreamed(server)).toMatchObject({
      ...{ status: 'passed', response: 'From 9 to 17', retryCount: 0 },
      ...{ flags: [], usage: { promptTokens: 12, completionTokens: 5 } },
    });
  });
});

const question = { messages: [{ role: 'user' as const, content: 'When do you open?' }] };
const clientFor = (server: ModelDouble) => createModelClient({ keys: ringFor(server.baseUrl), now: () => new Date() });

test('an abort in the middle of a stream ends the request at once', async () => {
  const stop = new AbortController();
  const left = Promise.withResolvers<void>();
  await using server = await startModelDouble((answer) => {
    answer.on('close', left.resolve);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(asEvent(text), () => stop.abort(new Error('cancelled')));
  });
  await using models = clientFor(server);
  await expect(models.chat(streaming, question, stop.signal)).rejects.toThrow('cancelled');
  await left.promise;
});

test('an answer that is refused ends the request, too', async () => {
  const left = Promise.withResolvers<void>();
  await using server = await startModelDouble((answer) => {
    answer.on('close', left.resolve);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(asEvent(chunk({ content: 5 })));
  });
  await using models = clientFor(server);
  const answered = await models.chat(streaming, question, new AbortController().signal);
  expect(answered).toMatchObject({ ok: false, failure: { retryable: false, isAnswer: true } });
  await left.promise;
});

test('a connection is used again after a stream', async () => {
  const ports = new Set<number | undefined>();
  const answer = replyEvents(text, end, usageChunk(), done);
  await using server = await startModelDouble((response, request) => {
    ports.add(response.socket?.remotePort);
    answer(response, request);
  });
  await using models = clientFor(server);
  for (let calls = 0; calls < 10; calls += 1) await models.chat(streaming, question, new AbortController().signal);
  expect(server.seen).toHaveLength(10);
  expect(ports.size).toBeLessThan(10);
});
