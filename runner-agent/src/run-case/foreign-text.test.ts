import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { cutName } from '@proofmark/domain/kept-text';
import { describe, expect, test } from 'vitest';
import { runAgainst, runStreamed } from '../drivers/openai-story.fixture.ts';
import { runOwn } from '../drivers/own-agent-story.fixture.ts';
import { asEvent, chunk, done, replyText, replyWith, startModelDouble } from '../models/model-double.fixture.ts';

/** 600 characters that JavaScript writes as 1,201: a cut in the middle of one would leave half of it. */
const long = `x${'😀'.repeat(600)}`;
const huge = 'x'.repeat(100_000);

/** Every text of the outcome but those that an answer may rightly fill. */
function longestOf({ toolCalls, model, errorMessage, transcript }: CaseOutcome): number {
  const texts = [
    model,
    ...toolCalls.flatMap(({ id, name }) => [id, name]),
    ...transcript.map((turn) => turn.toolCallId),
  ];
  expect(errorMessage?.length ?? 0).toBeLessThanOrEqual(4_096);
  expect(JSON.stringify({ toolCalls, model, errorMessage, transcript }).isWellFormed()).toBe(true);
  return Math.max(...texts.map((text) => Array.from(text ?? '').length));
}

const completion = (message: object, model: string, finish_reason: string) =>
  replyWith({ model, choices: [{ finish_reason, message }], usage: { prompt_tokens: 1, completion_tokens: 1 } });
const callOf = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });

describe('what a model makes up is kept short, and the cut is shown', () => {
  test('its own name, the names of tools and the ids of calls', async () => {
    await using server = await startModelDouble(
      completion({ tool_calls: [callOf(long, long)] }, long, 'tool_calls'),
      completion({ content: 'ok' }, long, 'stop'),
    );

    const outcome = await runAgainst(server);

    expect(longestOf(outcome)).toBe(256);
    expect(outcome).toMatchObject({ status: 'passed', flags: ['evidence_cut'] });
    // The model finds its call again by the whole id.
    expect(server.seen[1]?.body).toMatchObject({ messages: [{}, {}, {}, { role: 'tool', tool_call_id: long }] });
  });

  test('also in a stream', async () => {
    const call = { index: 0, ...callOf(long, long) };
    await using server = await startModelDouble((answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.end([{ ...chunk({ tool_calls: [call] }, 'tool_calls'), model: long }].map(asEvent).join('') + done);
    }, replyText('ok'));

    expect(longestOf(await runStreamed(server))).toBe(256);
  });

  test('why it ended its answer', async () => {
    await using server = await startModelDouble(completion({ content: 'ok' }, 'm', huge));
    expect((await runAgainst(server)).errorMessage?.length).toBeLessThanOrEqual(4_096);
  });
});

describe("what a team's own agent makes up is kept short, and the cut is shown", () => {
  const run = async (...answers: object[]) => {
    await using server = await startModelDouble(...answers.map((answer) => replyWith(answer)));
    const outcome = await runOwn({ agent: { driver: { type: 'http', url: `${server.baseUrl}/agent` } } });
    return { outcome, seen: server.seen.map(({ body }) => body) };
  };

  test('its model and the calls that it reports', async () => {
    const tool_calls = [{ id: long, name: long, error: huge }];
    const { outcome } = await run({ output: 'ok', model: long, tool_calls });

    expect(longestOf(outcome)).toBe(256);
    expect(outcome).toMatchObject({
      status: 'passed',
      toolCalls: [{ error: 'x'.repeat(4_096) }],
      flags: ['evidence_cut'],
    });
  });

  test('the calls that it asks for, which are answered under their whole id', async () => {
    const { outcome, seen } = await run({ tool_requests: [{ id: long, name: long }] }, { output: 'ok' });

    expect(longestOf(outcome)).toBe(256);
    expect(outcome).toMatchObject({ status: 'passed', flags: ['evidence_cut'] });
    expect(seen[1]).toMatchObject({ tool_results: [{ id: long, name: long }] });
  });

  test('arguments longer than a model may give are none', async () => {
    const { outcome } = await run(
      { tool_requests: [{ id: '1', name: 'search', args: { query: huge } }] },
      { output: 'ok' },
    );
    expect(outcome.toolCalls).toMatchObject([{ args: null, argsError: 'The arguments are longer than 64 KB' }]);
  });

  test('its error', async () => {
    const { outcome } = await run({ error: huge });

    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', flags: ['evidence_cut'] });
    expect(outcome.errorMessage).toHaveLength(4_096);
  });

  test('what a service with a mapping answers', async () => {
    const answer = { text: 'ok', model: long, calls: [{ name: long }] };
    await using server = await startModelDouble(replyWith(answer));
    const mapping = { request: {}, response: 'text', model: 'model', tool_calls: { path: 'calls' } };
    const outcome = await runOwn({ agent: { driver: { type: 'http', url: `${server.baseUrl}/agent`, mapping } } });

    expect(longestOf(outcome)).toBe(256);
    expect(outcome).toMatchObject({ status: 'passed', flags: ['evidence_cut'] });
  });
});

test('a name that a definition may have is kept whole, also when it is written in characters of two units', () => {
  const name = '😀'.repeat(255);
  expect(cutName(name)).toBe(name);
});
