import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { CaseStory } from '../case/a-case.fixture.ts';
import { type ModelDouble, replyWith, startModelDouble } from '../models/model-double.fixture.ts';
import { runOwn, secret, turns } from './own-agent-story.fixture.ts';

describe('an agent behind a URL', () => {
  const runHttp = async (server: ModelDouble, story: CaseStory = {}, options = {}) =>
    runOwn({ ...story, agent: { driver: { type: 'http', url: `${server.baseUrl}/agent` }, ...story.agent } }, options);

  test('gets everything that defines the turn, and its answer is the response', async () => {
    await using server = await startModelDouble(
      replyWith({ output: 'From 9', usage: { prompt_tokens: 3, completion_tokens: 2 }, model: 'own-1' }),
    );

    const outcome = await runHttp(server, { variables: { Day: 'monday' } });

    expect(outcome).toMatchObject({
      status: 'passed',
      response: 'From 9',
      model: 'own-1',
      usage: { promptTokens: 3, completionTokens: 2 },
    });
    expect(server.seen[0]?.body).toEqual({
      protocol: 'proofmark.agent/1',
      conversation_id: expect.any(String),
      turn: 0,
      seed: '0123456789abcdef',
      input: 'When do you open?',
      files: [],
      variables: { Day: 'monday' },
      instructions: 'You are a support agent.',
      tools: [],
    });
    expect(JSON.stringify(server.seen[0]?.headers)).not.toContain(secret);
  });

  test('may ask for tools, which the runner answers with a further POST', async () => {
    await using server = await startModelDouble(
      replyWith({ tool_requests: [{ id: 't1', name: 'get_hours', args: { day: 'monday' } }] }),
      replyWith({ output: 'From 9' }),
    );

    const outcome = await runHttp(server, {
      agent: { tools: [{ name: 'get_hours' }] },
      mocks: [{ tool: 'get_hours', returns: '9-17' }],
    });

    expect(server.seen[1]?.body).toMatchObject({ tool_results: [{ id: 't1', name: 'get_hours', result: '9-17' }] });
    expect(outcome.toolCalls).toMatchObject([{ name: 'get_hours', source: 'mock', result: '9-17' }]);
  });

  test.each([
    [
      'mixed',
      [
        { id: 't1', name: 'get_hours', result: '9-17' },
        { id: 't2', name: 'refund', live: true },
      ],
    ],
    [
      'live',
      [
        { id: 't1', name: 'get_hours', live: true },
        { id: 't2', name: 'refund', live: true },
      ],
    ],
  ] as const)(
    'runs the tools itself that mocks leave to it in mode %s, and reports what they answered',
    async (mode, told) => {
      await using server = await startModelDouble(
        replyWith({
          tool_requests: [
            { id: 't1', name: 'get_hours', args: {} },
            { id: 't2', name: 'refund', args: { id: 7 } },
          ],
        }),
        replyWith({
          output: 'done',
          tool_calls: [{ id: 't2', name: 'refund', args: { id: 7 }, result: { ok: true } }],
        }),
      );

      const outcome = await runHttp(server, {
        agent: { tools: [{ name: 'get_hours' }, { name: 'refund' }] },
        mocks: [{ tool: 'get_hours', returns: '9-17' }],
        mockSettings: { mode },
      });

      expect(server.seen[1]?.body).toMatchObject({ tool_results: told });
      expect(outcome).toMatchObject({
        status: 'passed',
        toolCalls: [
          { id: 't1', source: mode === 'mixed' ? 'mock' : 'live' },
          { id: 't2', args: { id: 7 }, source: 'live', result: { ok: true } },
        ],
        flags: [],
      });
      expect(outcome.toolCalls).toHaveLength(2);
    },
  );

  test('is not asked again for a turn in which it ran a tool: what that did cannot be taken back', async () => {
    await using server = await startModelDouble(
      replyWith({ tool_requests: [{ id: 't1', name: 'refund', args: {} }] }),
      replyWith('down', { status: 503 }),
    );

    const outcome = await runHttp(server, { agent: { tools: [{ name: 'refund' }] }, mockSettings: { mode: 'live' } });

    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', retryCount: 0 });
    expect(outcome.toolCalls).toMatchObject([{ name: 'refund', source: 'live' }]);
    expect(server.seen).toHaveLength(2);
  });

  test('may report the calls that it made itself', async () => {
    await using server = await startModelDouble(
      replyWith({ output: 'done', tool_calls: [{ name: 'refund', args: { id: 1 } }] }),
    );
    const outcome = await runHttp(server, {
      case: { expected_tool_calls: [{ tool: 'refund', expected_params: { id: 1 } }] },
    });
    expect(outcome).toMatchObject({ status: 'passed', tools: { matched: true }, toolCalls: [{ source: 'reported' }] });
  });

  test.each([
    ['a missing output', replyWith({ answer: 'x' }), 'neither an output nor tool requests'],
    ['an error of the agent', replyWith({ error: 'no database' }), 'The agent failed: no database'],
    ['HTML', replyWith('<html>', { headers: { 'content-type': 'text/html' } }), 'instead of JSON'],
    ['a redirect', replyWith('', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }), 'redirects'],
    ['a server error', replyWith('oops', { status: 500 }), 'Failed after 3 attempts: The service answered 500 oops'],
  ])('%s is an error of the agent', async (_, reply, message) => {
    await using server = await startModelDouble(reply);
    expect(await runHttp(server)).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: expect.stringContaining(message),
    });
  });

  test('on this machine is refused by a runner, which then asks nothing', async () => {
    await using server = await startModelDouble(replyWith({ output: 'x' }));
    expect(await runHttp(server, {}, { allowsLoopback: false })).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('not a public address'),
    });
    expect(server.seen).toEqual([]);
  });

  test('is asked under one conversation id per test run, turn by turn, and nothing of one test run reaches another', async () => {
    await using server = await startModelDouble(
      replyWith({ output: 'Yes?' }, { headers: { 'set-cookie': 'session=1; Path=/' } }),
    );
    await runHttp(server, turns(3));
    await runHttp(server, turns(2));
    const asked = server.seen.map(({ body }) => [body.conversation_id, body.turn, body.input]);
    const [first, second] = [asked[0]?.[0], asked[3]?.[0]];
    expect(asked).toEqual([
      [first, 0, 'Hello'],
      [first, 1, 'More.'],
      [first, 2, 'More.'],
      [second, 0, 'Hello'],
      [second, 1, 'More.'],
    ]);
    expect(first).not.toBe(second);
    expect(server.seen.flatMap(({ headers }) => headers.cookie ?? [])).toEqual([]);
  });

  test('ends the conversation with a flag, and never with a word', async () => {
    await using server = await startModelDouble(
      replyWith({ output: 'Goodbye! ended: true' }),
      replyWith({ output: 'That is all.', ended: true }),
    );
    const { conversation } = await runHttp(server, turns(5));
    expect(conversation).toMatchObject({ endReason: 'agent', agentTurns: 2 });
  });

  test('that asks for tools for ever ends at the limit', async () => {
    await using server = await startModelDouble(replyWith({ tool_requests: [{ id: 't', name: 'get_hours' }] }));
    expect(await runHttp(server, { agent: { tools: [{ name: 'get_hours' }] } })).toMatchObject({
      ...{ status: 'error', errorKind: 'limit' },
      errorMessage: 'The agent made more than 32 tool calls in one turn',
    });
  });

  test('is told of a tool that it does not have, and goes on (S0-04)', async () => {
    await using server = await startModelDouble(
      replyWith({ tool_requests: [{ id: 't', name: 'teleport' }] }),
      replyWith({ output: 'I cannot' }),
    );
    const outcome = await runHttp(server);
    expect(server.seen[1]?.body.tool_results).toMatchObject([{ id: 't', result: { error: { code: 'unknown_tool' } } }]);
    expect(outcome).toMatchObject({ response: 'I cannot', toolCalls: [{ name: 'teleport', source: 'none' }] });
  });

  test.each([
    ['that is nonsense is unknown, and said', { prompt_tokens: -1, completion_tokens: 2 }, ['usage_invalid']],
    ['that is missing is unknown', undefined, []],
  ])('usage %s', async (_, usage, flags) => {
    await using server = await startModelDouble(replyWith({ output: 'x', usage }));
    expect(await runHttp(server)).toMatchObject({ status: 'passed', usage: null, costUsd: null, flags });
  });

  describe('fails like a provider does', () => {
    const down = (status: number, headers: Record<string, string> = {}) => replyWith('down', { status, headers });
    const fine = replyWith({ output: 'From 9' });

    test.each([
      ['429 with Retry-After', down(429, { 'retry-after': '2' }), [2_000]],
      ['429 without', down(429), [100]],
      ['500', down(500), [100]],
      ['503', down(503), [100]],
      ['a connection that is cut in the middle', replyWith('{"outp', { headers: { 'content-length': '99' } }), [100]],
    ])('%s is tried again', async (_, reply, waited) => {
      const cut: typeof reply = (answer, request) => {
        reply(answer, request);
        answer.socket?.end();
      };
      await using server = await startModelDouble(cut, fine);
      const pauses: number[] = [];
      expect(await runHttp(server, {}, { pauses })).toMatchObject({
        status: 'passed',
        response: 'From 9',
        retryCount: 1,
      });
      expect(pauses).toEqual(waited);
    });

    test.each([
      ['a service that never answers', () => undefined],
      [
        'an answer that drips for ever',
        (answer: ServerResponse) => {
          answer.writeHead(200, { 'content-type': 'application/json' });
          const drip = setInterval(() => answer.write(' '), 5);
          answer.on('close', () => clearInterval(drip));
        },
      ],
    ])('%s is a timeout after three tries (S3-65)', async (_, reply) => {
      await using server = await startModelDouble(reply);
      expect(await runHttp(server, { limits: { agentTimeoutMs: 40 } })).toMatchObject({
        ...{ status: 'error', errorKind: 'timeout', retryCount: 2 },
        errorMessage: 'Failed after 3 attempts: Timeout after 40ms',
      });
    });

    test.each([
      ['HTML that claims to be JSON', replyWith('<html>'), 'agent', 'is not JSON'],
      ['an empty body', replyWith(''), 'agent', 'is not JSON'],
      ['a number as output', replyWith({ output: 5 }), 'agent', 'neither an output nor tool requests'],
      ['a list', replyWith([]), 'agent', 'neither an output nor tool requests'],
      ['a gzip body', replyWith('x', { headers: { 'content-encoding': 'gzip' } }), 'agent', 'compressed'],
      ['deeply nested JSON', replyWith('['.repeat(100)), 'agent', 'nested too deeply'],
      ['401', down(401), 'agent', 'answered 401'],
      ['20 MB', replyWith({ output: 'x'.repeat(20 * 1024 * 1024) }), 'limit', 'too large'],
    ])('%s is an error without another try', async (_, reply, errorKind, message) => {
      await using server = await startModelDouble(reply);
      const outcome = await runHttp(server);
      expect(outcome).toMatchObject({ status: 'error', errorKind, retryCount: 0 });
      expect(outcome.errorMessage).toContain(message);
      expect(server.seen).toHaveLength(1);
    });

    test('NUL and lone surrogates are replaced', async () => {
      await using server = await startModelDouble(replyWith('{"output":"a\\u0000b\\ud800"}'));
      expect(await runHttp(server)).toMatchObject({ response: 'a\uFFFDb\uFFFD', flags: ['text_replaced'] });
    });

    test('a key of the operator that it echoes is not shown', async () => {
      await using server = await startModelDouble(down(400), replyWith(`no ${secret}`, { status: 400 }));
      await runHttp(server);
      const outcome = await runHttp(server);
      expect(outcome.errorMessage).toContain('answered 400 no ');
      expect(JSON.stringify(outcome)).not.toContain(secret);
    });
  });
});
