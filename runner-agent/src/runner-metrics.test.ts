import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { ProcessMetrics } from '@proofmark/process/process-metrics';
import { describe, expect, test } from 'vitest';
import type { ModelPort } from './models/model-port.ts';
import { type CallFailure, finalFailure } from './retry/call-failure.ts';
import { countedModels, countOutcome, tellStatus } from './runner-metrics.ts';

/** What a process tells, without what is 0. */
const told = async (metrics: ProcessMetrics<'runner'>, name: string): Promise<string[]> =>
  (await metrics.read().metrics()).split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));

describe('calls to models', () => {
  const settings = { provider: 'openai', model: 'm', configuration: 'c' };
  const signal = new AbortController().signal;
  const failing = (failure: Partial<CallFailure>) => async () =>
    ({ ok: false, failure: { ...finalFailure('agent', 'no'), ...failure } }) as const;

  async function callsOf(...answers: ModelPort['chat'][]) {
    const metrics = new ProcessMetrics('runner');
    let nowMs = 0;
    for (const answer of answers) {
      const chat: ModelPort['chat'] = async (...asked) => {
        nowMs += 400;
        return await answer(...asked);
      };
      const models = countedModels({ chat, embed: failing({}) }, metrics, () => nowMs);
      await models.chat(settings, { messages: [] }, signal).catch(() => undefined);
    }
    return metrics;
  }

  test.each<[outcome: string, answer: ModelPort['chat']]>([
    ['answered', async () => ({ ok: true, value: { text: 'Hi', calls: [], usage: null, model: null, flags: [] } })],
    ['rate_limit', failing({ errorClass: 'RateLimitError' })],
    ['authentication', failing({ errorClass: 'AuthenticationError' })],
    ['bad_answer', failing({ errorClass: 'BadAnswerError' })],
    ['timeout', failing({ kind: 'timeout' })],
    ['other', failing({})],
    ['aborted', () => Promise.reject(new Error('cancelled'))],
  ])('are counted when they end as %s, with their time', async (outcome, answer) => {
    const metrics = await callsOf(answer);
    expect(await told(metrics, 'proofmark_model_calls_total')).toEqual([
      `proofmark_model_calls_total{provider="openai",operation="chat",outcome="${outcome}"} 1`,
    ]);
    expect(await told(metrics, 'proofmark_model_call_seconds_sum')).toEqual([
      'proofmark_model_call_seconds_sum{provider="openai",operation="chat"} 0.4',
    ]);
  });

  test('that were not made are not counted', async () => {
    expect(await told(await callsOf(failing({ isNotAsked: true })), 'proofmark_model_call')).toEqual([]);
  });
});

const anOutcome = (given: Partial<CaseOutcome>): CaseOutcome => ({
  ...CaseOutcome.parse({
    ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'Hi', response: 'Hello' },
    ...{ executionTimeMs: 3000, startedAt: '2026-01-01T00:00:00Z' },
  }),
  ...given,
});

const asked = { isJudgedAgain: false };

test('a test run is counted with what it used, by who used it: the share of judges can be told', async () => {
  const metrics = new ProcessMetrics('runner');
  const usage = { promptTokens: 100, completionTokens: 10 };
  const judge = { role: 'judge', calls: 1, usage: { promptTokens: 300, completionTokens: 30 }, costUsd: 0.03 } as const;
  countOutcome(metrics, anOutcome({ usage, costUsd: 0.01, latencyMs: 800, retryCount: 2, measuring: [judge] }), asked);
  countOutcome(metrics, anOutcome({ status: 'error', errorKind: 'timeout', usage: null, costUsd: null }), asked);
  expect(await told(metrics, 'proofmark_test_runs_total')).toEqual([
    'proofmark_test_runs_total{outcome="passed"} 1',
    'proofmark_test_runs_total{outcome="timeout"} 1',
  ]);
  expect(await told(metrics, 'proofmark_tokens_total')).toEqual([
    'proofmark_tokens_total{role="agent",direction="input"} 100',
    'proofmark_tokens_total{role="agent",direction="output"} 10',
    'proofmark_tokens_total{role="judge",direction="input"} 300',
    'proofmark_tokens_total{role="judge",direction="output"} 30',
  ]);
  expect(await told(metrics, 'proofmark_cost_usd_total')).toEqual([
    'proofmark_cost_usd_total{role="agent"} 0.01',
    'proofmark_cost_usd_total{role="judge"} 0.03',
  ]);
  expect(await told(metrics, 'proofmark_agent_retries_total')).toEqual(['proofmark_agent_retries_total 2']);
  expect(await told(metrics, 'proofmark_test_run_seconds_sum')).toEqual(['proofmark_test_run_seconds_sum 6']);
  expect(await told(metrics, 'proofmark_agent_answer_seconds_count')).toEqual([
    'proofmark_agent_answer_seconds_count 1',
  ]);
});

test('an answer that is judged again is a test run, and no answer of the agent', async () => {
  const metrics = new ProcessMetrics('runner');
  countOutcome(metrics, anOutcome({ latencyMs: 800, retryCount: 2 }), { isJudgedAgain: true });
  expect(await told(metrics, 'proofmark_test_runs_total')).toEqual(['proofmark_test_runs_total{outcome="passed"} 1']);
  expect(await told(metrics, 'proofmark_agent_retries_total')).toEqual([]);
  expect(await told(metrics, 'proofmark_agent_answer_seconds_count')).toEqual([]);
});

test('what a runner holds is told from its beginning on', async () => {
  const metrics = new ProcessMetrics('runner');
  tellStatus(metrics, undefined);
  tellStatus(metrics, { held: 3, waiting: 1, unconfirmed: 2, freeSlots: 5, silentMs: 1500 });
  expect(await told(metrics, 'proofmark_held_test_runs')).toEqual([
    'proofmark_held_test_runs{state="held"} 3',
    'proofmark_held_test_runs{state="waiting"} 1',
    'proofmark_held_test_runs{state="unconfirmed"} 2',
  ]);
  expect(await told(metrics, 'proofmark_free_slots')).toEqual(['proofmark_free_slots 5']);
  expect(await told(metrics, 'proofmark_coordinator_silence_seconds')).toEqual([
    'proofmark_coordinator_silence_seconds 1.5',
  ]);
});
