import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { CaseAborted, runCase } from './run-case.ts';

const running = new AbortController().signal;
const phrases = (...list: string[]) => ({
  expected_behavior: { checks: [{ type: 'contains_phrases' as const, phrases: list }] },
});

test('a scripted answer that holds every phrase passes, without any metric where none is configured (S0-05)', async () => {
  const outcome = await runCase(aCase({ case: phrases('9', '17') }), casePorts(), running);

  expect(CaseOutcome.parse(outcome)).toEqual(outcome);
  expect(outcome).toMatchObject({
    status: 'passed',
    errorKind: null,
    testInput: 'When do you open?',
    response: 'We open from 9 to 17',
    usage: null,
    costUsd: null,
    retryCount: 0,
    metrics: [],
    checks: [
      {
        checkIndex: 0,
        checkType: 'contains_phrases',
        status: 'pass',
        passed: true,
        details: { matchedPhrases: ['9', '17'], missingPhrases: [] },
      },
    ],
    transcript: [
      { role: 'user', text: 'When do you open?' },
      { role: 'agent', text: 'We open from 9 to 17' },
    ],
  });
});

test('a missing phrase fails the case and is named', async () => {
  const outcome = await runCase(aCase({ case: phrases('9', 'Sunday') }), casePorts(), running);

  expect(outcome.status).toBe('failed');
  expect(outcome.checks[0]?.details.missingPhrases).toEqual(['Sunday']);
});

test('an agent error is an error of kind agent, and tool expectations still have an answer (S0-84)', async () => {
  const agent = {
    tools: [{ name: 'get_hours' }],
    driver: { type: 'scripted' as const, replies: [{ tool_calls: [{ name: 'get_hours' }], error: 'The agent broke' }] },
  };
  const work = aCase({
    agent,
    case: { ...phrases('9'), expected_tool_calls: [{ tool: 'get_hours' }] },
    mocks: [{ tool: 'get_hours', returns: '9-17', times: 'always' }],
  });

  const outcome = await runCase(work, casePorts(), running);

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'agent',
    errorMessage: 'The agent broke',
    checks: [],
    tools: { matched: true },
  });
  expect(outcome.toolCalls).toHaveLength(1);
});

test('reliability 8: nothing is spent on a test run whose agent or judge is given up for the rest of the run', async () => {
  const why = { kind: 'judge' as const, message: 'The rest of the run does not ask the provider any more' };
  const work = aCase({
    agent: { driver: { type: 'http', url: 'https://agent.example/chat' } },
    case: { files: [{ path: 'hours.txt', type: 'text' }], ...phrases('9') },
  });
  const asked: string[] = [];
  const files = { read: () => Promise.reject(new Error('a file was read')) };
  const reach = {
    call: async ({ url }: { url: string }) => {
      asked.push(url);
      throw new Error('the agent was asked');
    },
    start: () => {
      throw new Error('no program here');
    },
    ask: () => {
      throw new Error('no program here');
    },
  };

  const outcome = await runCase(work, casePorts({ files, reach, givenUp: () => why }), running);

  expect(CaseOutcome.parse(outcome)).toEqual(outcome);
  expect(outcome).toMatchObject({ status: 'error', errorKind: 'judge', errorMessage: why.message, transcript: [] });
  expect(asked).toEqual([]);
});

test('a cancelled case has no outcome', async () => {
  const cancel = new AbortController();
  cancel.abort(new Error('cancelled by a person'));

  await expect(runCase(aCase(), casePorts(), cancel.signal)).rejects.toThrow(CaseAborted);
});

test('a case that outlives its deadline is an error of kind limit', async () => {
  const work = aCase({
    agent: {
      tools: [{ name: 'slow' }],
      driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'slow' }], reply: 'done' }] },
    },
    mocks: [{ tool: 'slow', fault: { kind: 'slow', delay_ms: 10_000 } }],
    limits: { caseTimeoutMs: 30 },
  });

  const outcome = await runCase(work, casePorts(), running);

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'limit',
    errorMessage: 'The test run took longer than 30 ms',
  });
});

test('a crash of the runner becomes an outcome that blames the infrastructure, not the agent', async () => {
  const work = aCase({
    agent: { driver: { type: 'openai' } },
    model: { configuration: 'main', provider: 'openai', model: 'm' },
  });

  const outcome = await runCase(work, casePorts(), running);

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'lost',
    errorMessage: 'Fault of the runner: This test calls no model',
  });
});

test('an answer of 25,000 characters is stored as 20,000, but the checks see the whole (S2-93)', async () => {
  const agent = { driver: { type: 'scripted' as const, replies: [{ reply: `${'a'.repeat(24_990)}the end` }] } };

  const outcome = await runCase(aCase({ agent, case: phrases('the end') }), casePorts(), running);

  expect(outcome).toMatchObject({ status: 'passed', truncated: true, flags: [] });
  expect(outcome.response).toHaveLength(20_000);
  // The transcript has all of it.
  expect(outcome.transcript.at(-1)?.text.length).toBeGreaterThan(20_000);
});

test('a tool result that is cut for keeping is marked, and checks and judges had the whole (S2-93)', async () => {
  const run = async (length: number) => {
    const work = aCase({
      agent: {
        tools: [{ name: 'look_up' }],
        driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'look_up' }], reply: 'Done' }] },
      },
      mocks: [{ tool: 'look_up', returns: 'x'.repeat(length), times: 'always' }],
      case: { expected_tool_calls: [{ tool: 'look_up' }] },
    });
    return await runCase(work, casePorts(), new AbortController().signal);
  };
  const long = await run(25_000);
  expect(long).toMatchObject({ status: 'passed', truncated: false, flags: ['evidence_cut'] });
  expect(long.toolCalls[0]?.result).toHaveLength(20_000);
  const short = await run(19_000);
  expect(short.flags).toEqual([]);
  expect(short.toolCalls[0]?.result).toHaveLength(19_000);
});

test('an answer with NUL and a lone surrogate is stored with replacements and a flag', async () => {
  const agent = { driver: { type: 'scripted' as const, replies: [{ reply: 'a\0b\ud800c' }] } };

  const outcome = await runCase(aCase({ agent, case: phrases('a') }), casePorts(), running);

  expect(outcome).toMatchObject({ status: 'passed', response: 'a\uFFFDb\uFFFDc', flags: ['text_replaced'] });
});

test('a configured metric without an evaluator is an error of the judge, never a silent pass', async () => {
  const evaluations = { metrics: [{ metric: 'bleu', type: 'standard' as const, enabled: true, fail_on_error: false }] };

  const outcome = await runCase(aCase({ evaluations }), casePorts(), running);

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'judge',
    degraded: true,
    metrics: [{ metric_name: 'bleu', score: null, passed: false }],
  });
});
