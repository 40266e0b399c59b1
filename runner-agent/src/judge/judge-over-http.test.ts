import { Metric } from '@proofmark/contracts/metrics';
import { expect, test } from 'vitest';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { createModelClient } from '../models/model-client.ts';
import {
  chunk,
  done,
  type ModelDouble,
  replyCalls,
  replyEvents,
  replyText,
  replyWith,
  startModelDouble,
  usageChunk,
} from '../models/model-double.fixture.ts';
import { runCase } from '../run-case/run-case.ts';

const judge = { configuration: 'judge', provider: 'openai', model: 'judge-1', price: { input: 1, output: 1 } };
const passed = JSON.stringify({
  criteria: [{ id: 'done', requirement: 'done: true', reasoning: 'a tool did it', status: 'passed' }],
  injection_attempt: false,
});
const rating = JSON.stringify({ reasoning: 'to the point', score: 5, status: 'scored' });

async function runAgainst(server: ModelDouble, story: CaseStory) {
  const origin = new URL(server.baseUrl).origin;
  await using models = createModelClient({
    keys: {
      values: new Map([['OPENAI_API_KEY', 'sk-test-0123456789abcdefghij']]),
      origins: new Map([['OPENAI_API_KEY', [origin]]]),
      defaultBaseUrl: server.baseUrl,
      allowedOrigins: new Set(),
      allowsLoopback: false,
    },
    now: () => new Date(),
  });
  const ports = casePorts({ models, random: Math.random, pause: async () => undefined });
  return await runCase(aCase({ judge, ...story }), ports, new AbortController().signal);
}

const outcomes: CaseStory = { case: { expected_outcomes: { done: true } } };
const relevance = (metric: object = {}): CaseStory => ({
  evaluations: { metrics: [Metric.parse({ metric: 'relevance', ...metric })] },
});

test('a judge is asked for structured output at temperature 0, without tools, and its tokens are counted', async () => {
  await using server = await startModelDouble(replyText(passed));
  const outcome = await runAgainst(server, outcomes);
  expect(outcome).toMatchObject({
    status: 'passed',
    outcomes: { passed: true, answers: [{ model: 'judge', text: passed }] },
    measuring: [{ role: 'judge', calls: 1, usage: { promptTokens: 12, completionTokens: 5 }, costUsd: 17e-6 }],
  });
  expect(server.seen[0]?.body).toMatchObject({
    model: 'judge-1',
    temperature: 0,
    max_tokens: 2_000,
    response_format: { type: 'json_schema', json_schema: { name: 'outcomes', strict: true } },
  });
  expect(server.seen[0]?.body).not.toHaveProperty('tools');
});

test.each([
  ['cut answer', replyText(passed, { finish_reason: 'length' })],
  ['filtered answer', replyText(passed, { finish_reason: 'content_filter' })],
  ['refusal', replyText('', { message: { role: 'assistant', content: null, refusal: passed } })],
  ['tool call', replyCalls({ name: 'verdict', args: passed })],
  ['answer without an end', replyText(passed, { finish_reason: null })],
  ['page of HTML', replyWith('<html>all passed</html>', { headers: { 'content-type': 'text/html' } })],
])('J5 a %s never passes a criterion', async (_name, reply) => {
  await using server = await startModelDouble(reply);
  expect(await runAgainst(server, outcomes)).toMatchObject({
    status: 'error',
    errorKind: 'judge',
    outcomes: { passed: null, score: null },
  });
});

test('S0-38 a metric is tried again after server errors, and says how often', async () => {
  const broken = replyWith({ error: { message: 'overloaded' } }, { status: 503 });
  await using server = await startModelDouble(broken, broken, replyText(rating));
  const outcome = await runAgainst(server, relevance({ retry_on_failure: 2, threshold: 1 }));
  expect(outcome).toMatchObject({ status: 'passed', metrics: [{ score: 1, passed: true, retry_count: 2 }] });
  expect(server.seen).toHaveLength(3);
});

test('S0-55 a metric whose model is refused has no score and is not tried again', async () => {
  await using server = await startModelDouble(replyWith({ error: { message: 'no such model' } }, { status: 404 }));
  const outcome = await runAgainst(server, relevance({ retry_on_failure: 3 }));
  expect(outcome).toMatchObject({ status: 'error', errorKind: 'judge', metrics: [{ score: null, retry_count: 0 }] });
  expect(server.seen).toHaveLength(1);
});

test('S0-39 a model that hangs is given up after the time of the metric', async () => {
  await using server = await startModelDouble(() => undefined);
  const outcome = await runAgainst(server, relevance({ timeout_ms: 50 }));
  expect(outcome.metrics[0]?.error).toContain('Timeout after 50ms');
  expect(outcome.metrics[0]?.score).toBeNull();
});

test('an answer that is no completion is asked for once more', async () => {
  await using server = await startModelDouble(replyWith({ choices: [] }), replyText(passed));
  expect(await runAgainst(server, outcomes)).toMatchObject({ status: 'passed' });
  expect(server.seen).toHaveLength(2);
});

test('a judge whose configuration streams is asked for a stream, and one broken in the middle is asked again', async () => {
  const [half, rest] = [passed.slice(0, 40), passed.slice(40)];
  await using server = await startModelDouble(
    replyEvents(chunk({ content: half })),
    replyEvents(chunk({ content: half }), chunk({ content: rest }), chunk({}, 'stop'), usageChunk(), done),
  );
  const outcome = await runAgainst(server, { ...outcomes, judge: { ...judge, stream: true } });
  expect(outcome).toMatchObject({ status: 'passed', measuring: [{ role: 'judge', calls: 2 }] });
  expect(server.seen.map(({ body }) => body.stream)).toEqual([true, true]);
});

test('a judge is asked as its AI configuration says', async () => {
  await using server = await startModelDouble(replyText(passed));
  const settings = { temperature: 1, max_tokens: 4_000, reasoning_effort: 'low', seed: 7 };
  await runAgainst(server, { ...outcomes, judge: { ...judge, ...settings } });
  expect(server.seen[0]?.body).toMatchObject(settings);
});

test('a forced tool call is asked for only where the configuration says so, and its arguments are the answer', async () => {
  await using server = await startModelDouble(replyCalls({ name: 'outcomes', args: passed }));
  const outcome = await runAgainst(server, { ...outcomes, judge: { ...judge, structured_output: 'tool' } });
  expect(outcome).toMatchObject({ status: 'passed', toolCalls: [] });
  expect(server.seen[0]?.body).toMatchObject({
    tools: [{ type: 'function', function: { name: 'outcomes' } }],
    tool_choice: { type: 'function', function: { name: 'outcomes' } },
  });
  expect(server.seen[0]?.body).not.toHaveProperty('response_format');
});

test('an answer whose tokens were used up by thoughts is asked for with four times as many, once and from then on', async () => {
  const starved = replyText('', { message: { role: 'assistant', content: null }, finish_reason: 'length' });
  await using server = await startModelDouble(starved, replyText(passed), replyText(rating));
  const outcome = await runAgainst(server, { ...outcomes, ...relevance() });
  expect(outcome).toMatchObject({
    status: 'passed',
    adjustments: [{ setting: 'max_tokens', instead: 'four times as many' }],
  });
  expect(server.seen.map(({ body }) => body.max_tokens)).toEqual([2_000, 8_000, 3_200]);
  await using silent = await startModelDouble(starved);
  expect(await runAgainst(silent, relevance())).toMatchObject({ status: 'error', errorKind: 'judge' });
  expect(silent.seen.map(({ body }) => body.max_tokens)).toEqual([800, 3_200]);
});
