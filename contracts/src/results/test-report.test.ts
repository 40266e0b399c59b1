import { describe, expect, test } from 'vitest';
import { MetricResult } from './case-outcome.ts';
import { shapeProblems } from './shape-problems.ts';
import { ReportSummary, TestReport, TestResult } from './test-report.ts';

const metric = { metric_name: 'relevance', score: 4, passed: true, scale: 5, evaluation_time_ms: 12 };
const result = { test_input: 'q', passed: true, execution_time_ms: 30, timestamp: '2025-11-01T14:30:00Z' };
const summary = { total_tests: 2, passed: 1, failed: 1, pass_rate: 50, total_duration_ms: 60 };
const report = {
  agent_name: 'Desk',
  agent_config_path: 'agents/desk.agent.yaml',
  results: [result, result],
  summary,
  timestamp: '2025-11-01T14:30:00+01:00',
  proofmark_version: '0.1.0',
};

const brief = (schema: Parameters<typeof shapeProblems>[0], value: unknown): string[] =>
  shapeProblems(schema, value).map(({ path, code }) => `${code} ${path}`);

describe('a metric result', () => {
  const problems = (fields: object) => brief(MetricResult, { ...metric, ...fields });

  test('S0-54 S0-57 has the name of its metric and a plain yes or no', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ metric_name: undefined })).toEqual(['required metric_name']);
    expect(problems({ passed: null })).toEqual(['invalid_type passed']);
  });

  test('S0-63 S0-64 S0-67 unknown keys, empty names and negative times are refused', () => {
    expect(problems({ reason: 'x' })).toEqual(['unknown_field reason']);
    expect(problems({ metric_name: '' })).toEqual(['too_short metric_name']);
    expect(problems({ evaluation_time_ms: -1 })).toEqual(['out_of_range evaluation_time_ms']);
  });

  test('S0-65 a score lies within its scale, where it has one', () => {
    expect(problems({ score: -1 })).toEqual(['out_of_range score']);
    expect(problems({ score: -1, scale: null })).toEqual([]);
    expect(problems({ score: 5 })).toEqual([]);
    expect(problems({ score: 6 })).toEqual(['out_of_range score']);
    expect(problems({ score: 6, scale: null })).toEqual([]);
  });

  test('S0-66 there are at most three retries', () => {
    expect(problems({ retry_count: 3 })).toEqual([]);
    expect(problems({ retry_count: 4 })).toEqual(['out_of_range retry_count']);
    expect(problems({ retry_count: -1 })).toEqual(['out_of_range retry_count']);
  });
});

describe('a test result', () => {
  const problems = (fields: object) => brief(TestResult, { ...result, ...fields });

  test('S0-70 S0-71 S0-73 S0-74 S0-75 has empty lists and nulls where nothing was given', () => {
    expect(TestResult.parse(result)).toEqual({
      ...result,
      test_name: null,
      processed_files: [],
      agent_response: null,
      tool_calls: [],
      expected_tools: null,
      tools_matched: null,
      metric_results: [],
      ground_truth: null,
      errors: [],
    });
  });

  test('S0-77 S0-82 S0-83 says whether it passed, what was asked and how long it took', () => {
    expect(problems({ passed: undefined })).toEqual(['required passed']);
    expect(problems({ test_input: '' })).toEqual(['too_short test_input']);
    expect(problems({ execution_time_ms: -1 })).toEqual(['out_of_range execution_time_ms']);
  });

  test('S0-80 has a moment with an offset', () => {
    expect(problems({ timestamp: '2025-11-01T14:30:00.123+01:00' })).toEqual([]);
    expect(problems({ timestamp: '2025-11-01T14:30:00' })).toEqual(['invalid_format timestamp']);
    expect(problems({ timestamp: '01/11/2025 14:30' })).toEqual(['invalid_format timestamp']);
  });
});

describe('a summary', () => {
  const problems = (fields: object) => brief(ReportSummary, { ...summary, ...fields });

  test('S0-95 counts every executed test once: the total is passed plus failed', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ failed: 2 })).toEqual(['mismatch total_tests']);
  });

  test('S0-96 has a pass rate of 0 to 100 percent, or none', () => {
    for (const pass_rate of [0, 66.67, 100, null]) expect(problems({ pass_rate })).toEqual([]);
    for (const pass_rate of [-0.01, 100.01]) expect(problems({ pass_rate })).toEqual(['out_of_range pass_rate']);
  });

  test('S0-97 S0-98 has no negative duration and no further key', () => {
    expect(problems({ total_duration_ms: -1 })).toEqual(['out_of_range total_duration_ms']);
    expect(problems({ skipped: 1 })).toEqual(['unknown_field skipped']);
  });
});

describe('a report', () => {
  const problems = (fields: object) => brief(TestReport, { ...report, ...fields });

  test.each(['agent_name', 'agent_config_path', 'summary', 'timestamp', 'proofmark_version'])(
    'S0-99 S0-100 S0-102 S0-103 S0-104 without %s is refused',
    (key) => {
      expect(problems({})).toEqual([]);
      expect(problems({ [key]: undefined })).toEqual([`required ${key}`]);
    },
  );

  test('S0-108 has a moment in ISO 8601 with an offset', () => {
    expect(problems({ timestamp: '01/11/2025 14:30' })).toEqual(['invalid_format timestamp']);
    expect(problems({ timestamp: '2025-11-01' })).toEqual(['invalid_format timestamp']);
  });

  test('S0-107 has as many results as its summary counts', () => {
    expect(problems({ results: [result] })).toEqual(['mismatch summary.total_tests']);
  });
});
