import { ABSession } from '@proofmark/contracts/ab-session';
import { describe, expect, test } from 'vitest';
import { pairOrder } from './plan-sides.ts';
import { sessionCsvRow } from './session-files.ts';
import {
  countInvocation,
  differenceWords,
  judgedWords,
  latencyWords,
  noExecutions,
  sessionLatencyWords,
  statsDocument,
  summarizeSession,
  tokenWords,
} from './summarize-session.ts';

const answer = (parts: object = {}) => ({
  ...{ response: 'abcd', prompt_tokens: 60, completion_tokens: 40, latency_ms: 1000, model: 'm', ...parts },
  timestamp: '2026-01-01T00:00:00Z',
});
const sessionOf = (...pairs: [baseline: object, candidate: object][]): ABSession =>
  ABSession.parse({
    ...{ session_id: 's', start_time: '2026-01-01T00:00:00Z' },
    results: pairs.map(([baseline, candidate]) => ({
      ...{ question: 'q', baseline: answer(baseline), candidate: answer(candidate), context_tokens: 0 },
      ...{ timestamp: '2026-01-01T00:00:00Z', session_id: 's' },
    })),
  });

test('S3-34 S3-37 C27 a change is told with its direction, never with a bare sign', () => {
  expect(tokenWords(100, 80)).toBe('20 fewer tokens (20%)');
  expect(tokenWords(100, 101)).toBe('1 more token (1%)');
  expect(tokenWords(0, 80)).toBe('80 more tokens');
  expect(tokenWords(7, 7)).toBe('as many tokens');
  expect(latencyWords(1000, 750)).toBe('25% faster');
  expect(latencyWords(1000, 1250)).toBe('25% slower');
  expect(latencyWords(0, 12.5)).toBe('12.50 ms slower');
  expect(latencyWords(5, 5)).toBe('as fast');
});

test('S3-92 S3-93 only questions that both sides answered are compared', () => {
  const session = sessionOf(
    [{}, { latency_ms: 500 }],
    [{}, { latency_ms: 700, error: 'down' }],
    [{ latency_ms: 3000 }, {}],
  );
  expect(summarizeSession(session)).toMatchObject({
    baseline: { errors: 0, tokens: 200, medianLatencyMs: 2000 },
    candidate: { errors: 1, tokens: 200, medianLatencyMs: 750 },
    compared: 2,
  });
  expect(summarizeSession(sessionOf()).baseline.medianLatencyMs).toBeNull();
});

test('differences come with their intervals, and what was judged with its chance', () => {
  const judged = { baseline_status: 'passed', candidate_status: 'failed' };
  const session = sessionOf([{ latency_ms: 100 }, { latency_ms: 120 }], [{ latency_ms: 100 }, { latency_ms: 140 }]);
  const lost = { ...session, results: session.results.map((result) => ({ ...result, metadata: judged })) };
  const summary = summarizeSession(lost);
  expect(summary.latencyMs).toMatchObject({ mean: 30, lo: expect.closeTo(-97.06, 2), hi: expect.closeTo(157.06, 2) });
  expect(summary.latencyMs && differenceWords(summary.latencyMs, 'ms')).toBe(
    '+30.0 ms per question, 95% interval −97.1 to +157.1',
  );
  expect(judgedWords(summary.judged)).toBe(
    'Of 2 questions judged on both sides the candidate lost 2 and won 0; at equal quality it loses as many in 12.5% of comparisons (mid-p 0.125).',
  );
  expect(judgedWords({ questions: 2, losses: 0, wins: 0, midp: 1 })).toBe(
    'Of 2 questions judged on both sides the candidate lost 0 and won 0.',
  );
  expect(judgedWords(summarizeSession(session).judged)).toBe('');
  expect(summarizeSession(sessionOf([{}, {}])).latencyMs).toBeNull();
});

describe('the latency of a model beside itself', () => {
  /** Numbers between 0 and 1 that are the same in every run (a linear congruential generator). */
  function numbers(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }
  /** Ten questions to a server of 500 ms; one answer in twelve comes while the machine does something else for a while. */
  function session(seed: number): ABSession {
    const next = numbers(seed);
    const latency = () => ({ latency_ms: 501 + 2 * next() + (next() < 1 / 12 ? 300 * next() : 0) });
    return sessionOf(...Array.from({ length: 10 }, (): [object, object] => [latency(), latency()]));
  }
  const told = (one: ABSession): number => {
    const { baseline, latencyMs } = summarizeSession(one);
    return Math.abs(latencyMs?.mean ?? Number.NaN) / (baseline.medianLatencyMs ?? Number.NaN);
  };

  test('is told to be the same within 1%, though moments of a busy machine fall on one side', () => {
    const sessions = Array.from({ length: 20 }, (_, seed) => session(seed + 1));
    const plainMeans = sessions.map(({ results }) => {
      const differences = results.map(({ baseline, candidate }) => candidate.latency_ms - baseline.latency_ms);
      return Math.abs(differences.reduce((sum, one) => sum + one, 0) / results.length / 501);
    });
    // The plain mean would tell more in some of them: there is something to leave out.
    expect(Math.max(...plainMeans)).toBeGreaterThan(0.05);
    expect(Math.max(...sessions.map(told))).toBeLessThan(0.01);
  });

  test('one sentence never contradicts the other: both tell the middle of the differences', () => {
    // The medians of the sides lie the other way round than most of their differences.
    const summary = summarizeSession(
      sessionOf(
        ...[500, 510, 520, 530, 540].map((ms, at): [object, object] => [
          { latency_ms: ms },
          { latency_ms: at === 2 ? ms - 40 : ms + 5 },
        ]),
      ),
    );
    expect(summary.latencyMs?.mean).toBe(5);
    expect(sessionLatencyWords(summary)).toBe('1% slower');
    expect(sessionLatencyWords(summarizeSession(sessionOf([{}, { latency_ms: 900 }])))).toBe('10% faster');
  });
});

describe('execution statistics', () => {
  test('S3-74 to S3-79: no try is counted twice and none is lost', () => {
    const told = [
      { model: 'a', retriesDone: 0, failure: 'timeout' },
      { model: 'a', retriesDone: 1, failure: 'agent' },
      { model: 'a', retriesDone: 2, failure: null },
      { model: 'b', retriesDone: 0, failure: null },
    ];
    const stats = told.reduce(countInvocation, noExecutions());
    expect(stats).toMatchObject({
      ...{ total_invocations: 4, successful_invocations: 2, failed_invocations: 2 },
      ...{ retry_count: { 2: 1 }, timeouts: { a: 1 }, errors_by_type: { agent: 1 } },
    });
    expect(stats.models.b).toMatchObject({ total_invocations: 1, retry_count: {} });
  });

  test('S3-80 the share of successes is 0 when nothing was invoked', () => {
    expect(statsDocument(noExecutions())).toMatchObject({ success_rate: 0, models: {} });
  });
});

test('S3-47 C28 the order of a pair depends on the seed and the pair alone', () => {
  const rules = { order: 'alternating', order_seed: null, concurrent: false } as const;
  const orders = (seed: string) =>
    Array.from({ length: 200 }, (_, place) => pairOrder({ ...rules, order_seed: seed }, { key: String(place), place }));
  expect(orders('x')).toEqual(orders('x'));
  expect(orders('x')).not.toEqual(orders('y'));
  const first = orders('x').filter((order) => order === 'baseline_first').length;
  expect(first).toBeGreaterThan(70);
  expect(first).toBeLessThan(130);
  const places = [0, 1, 2, 3].map((place) => ({ key: 'k', place }));
  expect(places.map((place) => pairOrder(rules, place))).toEqual([
    ...['baseline_first', 'candidate_first', 'baseline_first', 'candidate_first'],
  ]);
  expect(places.map((place) => pairOrder({ ...rules, order: 'baseline_first' }, place))).toEqual(
    Array(4).fill('baseline_first'),
  );
  expect(pairOrder({ ...rules, order_seed: 'x', concurrent: true }, { key: 'k', place: 1 })).toBe('together');
});

test('S3-103 S3-104 a question is cut to 80 characters and numbers have two decimals', () => {
  const [result] = sessionOf([{ latency_ms: 1000.126 }, { latency_ms: 750 }]).results;
  if (result === undefined) throw new Error('no result');
  expect(sessionCsvRow({ ...result, question: '😀'.repeat(90) })).toMatchObject({
    ...{ question: '😀'.repeat(80), baseline_latency_ms: '1000.13', latency_diff_ms: '-250.13' },
  });
});
