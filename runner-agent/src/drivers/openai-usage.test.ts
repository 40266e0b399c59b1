import { describe, expect, test } from 'vitest';
import type { CaseStory } from '../case/a-case.fixture.ts';
import { replyCalls, replyText, replyWith, startModelDouble } from '../models/model-double.fixture.ts';
import { model, runAgainst } from './openai-story.fixture.ts';
import { turns } from './own-agent-story.fixture.ts';

test('tokens that the provider had cached cost less, and none of them more than there are', async () => {
  const cached = (cached_tokens: number) => ({
    ...{ model: 'm', choices: [{ finish_reason: 'stop', message: { content: 'From 9' } }] },
    usage: { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens } },
  });
  await using server = await startModelDouble(replyWith(cached(8)), replyWith(cached(8)), replyWith(cached(99)));
  const priced = { ...model, price: { input: 2, output: 10, cached_input: 0.5 } };
  const first = await runAgainst(server, { model: priced });
  expect(first).toMatchObject({
    usage: { promptTokens: 12, cachedTokens: 8 },
    costUsd: (4 * 2 + 8 * 0.5 + 5 * 10) / 1e6,
  });
  // Without a price of their own they cost what others do.
  expect((await runAgainst(server)).costUsd).toBe((12 * 2 + 5 * 10) / 1e6);
  expect((await runAgainst(server, { model: priced })).costUsd).toBe((12 * 0.5 + 5 * 10) / 1e6);
});

test('without a price the cost is unknown, not 0', async () => {
  await using server = await startModelDouble(replyText('From 9'));
  const { price: _price, ...unpriced } = model;
  expect(await runAgainst(server, { model: unpriced })).toMatchObject({ usage: { promptTokens: 12 }, costUsd: null });
});

describe('200,000 tokens are all that a test run may use (evaluation 10)', () => {
  const using = (prompt_tokens: number, message: object, finish_reason: string) =>
    replyWith({ model: 'm', choices: [{ message, finish_reason }], usage: { prompt_tokens, completion_tokens: 0 } });
  const call = { content: null, tool_calls: [{ id: 'c', function: { name: 'get_hours', arguments: '{}' } }] };
  const tools = { agent: { tools: [{ name: 'get_hours' }] } };

  test('exactly so many are fine', async () => {
    await using server = await startModelDouble(
      using(100_000, call, 'tool_calls'),
      using(100_000, { content: 'At 9' }, 'stop'),
    );
    expect(await runAgainst(server, tools)).toMatchObject({ status: 'passed', response: 'At 9' });
  });

  test('more are an error, and nothing more is asked, in the middle of a turn too', async () => {
    await using server = await startModelDouble(using(100_001, call, 'tool_calls'));
    const outcome = await runAgainst(server, tools);
    expect(outcome).toMatchObject({
      ...{ status: 'error', errorKind: 'limit', retryCount: 0, usage: { promptTokens: 200_002 } },
      errorMessage: 'The agent used more than 200000 tokens',
    });
    expect(server.seen).toHaveLength(2);
  });
});

describe('what a failed try has used is paid for (evaluation 11)', () => {
  const busy = replyWith({ error: { message: 'overloaded' } }, { status: 503 });
  const calls = replyCalls({ name: 'get_hours', args: '{}' });
  const story: CaseStory = {
    agent: { tools: [{ name: 'get_hours' }] },
    mocks: [{ tool: 'get_hours', returns: '9-17', times: 'always' }],
  };

  test('tokens and cost count the tries that failed, too', async () => {
    await using server = await startModelDouble(calls, busy, calls, replyText('From 9 to 17'));
    const outcome = await runAgainst(server, story);
    expect(outcome).toMatchObject({
      ...{ status: 'passed', retryCount: 1, usage: { promptTokens: 36, completionTokens: 15 } },
      costUsd: (3 * (12 * 2 + 5 * 10)) / 1e6,
    });
  });

  test('a test run that ends in an error has its cost', async () => {
    await using server = await startModelDouble(calls, busy, calls, busy, calls, busy);
    const outcome = await runAgainst(server, story);
    expect(outcome).toMatchObject({
      ...{ status: 'error', errorKind: 'agent', latencyMs: null, usage: { promptTokens: 36, completionTokens: 15 } },
      costUsd: (3 * (12 * 2 + 5 * 10)) / 1e6,
    });
  });

  test('a test run whose time is up has its cost, too', async () => {
    await using server = await startModelDouble(calls, () => undefined);
    const outcome = await runAgainst(server, { ...story, limits: { agentTimeoutMs: 5_000, caseTimeoutMs: 300 } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'limit',
      usage: { promptTokens: 12, completionTokens: 5 },
    });
  });

  test('the turns of a conversation are counted once, the person beside them', async () => {
    const more = replyText('{"action":"say","message":"More.","reason":null}');
    await using server = await startModelDouble(calls, replyText('One'), more, calls, replyText('Two'));
    const outcome = await runAgainst(server, { ...story, ...turns(2) });
    expect(outcome).toMatchObject({
      ...{ status: 'passed', response: 'Two', usage: { promptTokens: 48, completionTokens: 20 } },
      conversation: { simulator: { calls: 1 } },
    });
  });

  test('what nobody answered used nothing', async () => {
    await using server = await startModelDouble(busy);
    expect(await runAgainst(server, story)).toMatchObject({ status: 'error', usage: null, costUsd: null });
  });
});
