import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { describe, expect, test } from 'vitest';
import type { CaseStory } from '../case/a-case.ts';
import { aCase, casePorts } from '../case/a-case.ts';
import type { ModelDouble } from '../models/model-double.ts';
import { replyWith, startModelDouble } from '../models/model-double.ts';
import { readKeyRing } from '../models/read-key-ring.ts';
import { runCase } from '../run-case.ts';
import { reachAgents } from './reach-agents.ts';

const secret = 'sk-test-0123456789abcdefghij';

async function run(story: CaseStory, { programs = true, allowsLoopback = true } = {}): Promise<CaseOutcome> {
  const ring = readKeyRing({ OPENAI_API_KEY: secret }, { allowsLoopback });
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  const environment = { PATH: process.env.PATH, OPENAI_API_KEY: secret, HOME: '/nowhere' };
  const options = programs ? { directory: process.cwd(), environment } : null;
  await using reach = reachAgents({ keys: ring.keys, now: () => new Date(), programs: options });
  return await runCase(
    aCase({ ...story, limits: { agentTimeoutMs: 5_000, caseTimeoutMs: 20_000, ...story.limits } }),
    casePorts({ reach, pause: async () => undefined }),
    new AbortController().signal,
  );
}

describe('an agent behind a URL', () => {
  const runHttp = async (server: ModelDouble, story: CaseStory = {}, options = {}) =>
    run({ ...story, agent: { driver: { type: 'http', url: `${server.baseUrl}/agent` }, ...story.agent } }, options);

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
    ['a server error', replyWith('oops', { status: 500 }), 'Failed after 3 attempts: The provider answered 500 oops'],
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
});

describe('an agent that is a program', () => {
  const program = (body: string) => ({
    agent: {
      driver: {
        type: 'command' as const,
        command: [
          process.execPath,
          '-e',
          `require('readline').createInterface({ input: process.stdin }).on('line', (line) => { const message = JSON.parse(line); ${body} })`,
        ],
      },
    },
  });

  test('answers lines of JSON', async () => {
    const outcome = await run(program('console.log(JSON.stringify({ output: "You asked: " + message.input }))'));
    expect(outcome).toMatchObject({ status: 'passed', response: 'You asked: When do you open?' });
  });

  test('sees no key in its environment', async () => {
    const outcome = await run(program('console.log(JSON.stringify({ output: JSON.stringify(process.env) }))'));
    expect(outcome.response).toContain('PATH');
    expect(outcome.response).not.toContain(secret);
  });

  test.each([
    ['that ends', 'process.stderr.write("boom", () => process.exit(1))', 'ended without an answer'],
    ['that writes no JSON', 'console.log("hello")', 'not JSON: hello'],
  ])('%s is an error of the agent', async (_, body, message) => {
    expect(await run(program(body))).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: expect.stringContaining(message),
    });
  });

  test('that does not exist is an error of the agent', async () => {
    const outcome = await run({ agent: { driver: { type: 'command', command: ['./no-such-program'] } } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: expect.stringContaining('cannot be started'),
    });
  });

  test('that hangs is ended with its test run', async () => {
    const outcome = await run({
      ...program('process.stderr.write("")'),
      limits: { agentTimeoutMs: 50, caseTimeoutMs: 2_000 },
    });
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'timeout' });
  });

  test('is refused where programs are not allowed', async () => {
    const outcome = await run(program(''), { programs: false });
    expect(outcome).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('run on your own machine only'),
    });
  });
});
