import { ABSession, type AgentResponse, SessionId } from '@proofmark/contracts/ab-session';
import { describe, expect, test } from 'vitest';
import { metricPassed } from '../results/metric-passed.ts';
import { renderSessionCsv } from './session-files.ts';
import { compareResponses, measureResponse, measureSession } from './summarize-session.ts';

const response = (parts: Partial<AgentResponse> = {}): AgentResponse => ({
  response: 'abcd',
  prompt_tokens: 60,
  completion_tokens: 40,
  latency_ms: 1000,
  model: 'm',
  timestamp: '2026-01-01T00:00:00.000Z',
  error: null,
  retry_count: 0,
  ...parts,
});
const question = (parts: object = {}) => ({
  question: 'When?',
  baseline: response(),
  candidate: response({ latency_ms: 750, completion_tokens: 20 }),
  context_tokens: 10,
  timestamp: '2026-01-01T00:00:00.000Z',
  session_id: 's-1',
  ...parts,
});

describe('computed properties of seed 003', () => {
  test('S3-21 S3-22 S3-23 tokens per millisecond, 0 without time, and a success is an answer without an error', () => {
    expect(measureResponse(response())).toEqual({ total_tokens: 100, tokens_per_ms: 0.04, success: true });
    expect(measureResponse(response({ latency_ms: 0 })).tokens_per_ms).toBe(0);
    expect(measureResponse(response({ error: 'no' })).success).toBe(false);
  });

  test('S3-33 S3-34 S3-35 S3-36 S3-37 S3-38 S3-40 S3-110 C27 differences are candidate minus baseline', () => {
    expect(compareResponses(response(), response({ latency_ms: 750, completion_tokens: 20, error: 'x' }))).toEqual({
      token_overhead: -20,
      token_overhead_pct: -20,
      latency_diff_ms: -250,
      latency_improvement_pct: -25,
      latency_change_pct: -25,
      response_length_ratio: 1,
      both_successful: false,
    });
  });

  test('S3-39 lengths count characters and an empty baseline gives 1', () => {
    expect(compareResponses(response({ response: '😀' }), response({ response: 'ab' })).response_length_ratio).toBe(2);
    expect(compareResponses(response({ response: '' }), response()).response_length_ratio).toBe(1);
  });

  test('S3-91 an open session has lasted until now', () => {
    const session = ABSession.parse({ session_id: 's-1', start_time: '2026-01-01T00:00:00Z', results: [question()] });
    expect(measureSession(session, Date.parse('2026-01-01T00:00:02Z'))).toEqual({
      duration_ms: 2000,
      test_count: 1,
      success_rate: 1,
    });
    expect(measureSession({ ...session, results: [] }, 0).success_rate).toBe(0);
  });
});

describe('session documents', () => {
  test('S3-26 the names of the seed are read, its times without a zone are UTC, computed values are not trusted', () => {
    const { candidate, ...rest } = question();
    const session = ABSession.parse({
      session_id: 's-1',
      start_time: '2026-01-01T00:00:00.123456',
      docstratum_model: 'x',
      results: [{ ...rest, docstratum: { ...candidate, total_tokens: 999 }, token_overhead: 999 }],
    });
    expect(session.candidate_model).toBe('x');
    expect(session.start_time).toBe('2026-01-01T00:00:00.123456Z');
    expect(session.results).toEqual([question({ metadata: {} })]);
  });

  test('S3-109 an id cannot leave its folder', () => {
    expect(['../x', 'a/b', '', 'x'.repeat(65)].map((id) => SessionId.safeParse(id).success)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('S3-101 to S3-105 the CSV has the columns of the seed and harmless cells', () => {
    const session = ABSession.parse({
      session_id: 's-1',
      start_time: '2026-01-01T00:00:00Z',
      results: [question({ question: '=1+1' })],
    });
    const [header, row] = renderSessionCsv(session).split('\r\n');
    expect(header).toMatch(
      /^question,baseline_tokens,candidate_tokens,token_overhead,baseline_latency_ms,candidate_latency_ms,latency_diff_ms,response_length_ratio,/,
    );
    expect(row).toMatch(/^'=1\+1,100,80,-20,1000\.00,750\.00,-250\.00,1\.00,/);
  });
});

test('S0-130 a score equal to its threshold passes and no score never does', () => {
  expect(metricPassed({ score: 0.7, threshold: 0.7 })).toBe(true);
  expect(metricPassed({ score: 0, threshold: 0 })).toBe(true);
  expect(metricPassed({ score: null, threshold: 0 })).toBe(false);
  expect(metricPassed({ score: 0 })).toBe(false);
  expect(metricPassed({ score: 0.9, verdict: false })).toBe(false);
});
