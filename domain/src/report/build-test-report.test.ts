import { TestReport } from '@proofmark/contracts/test-report';
import { describe, expect, test } from 'vitest';
import { buildTestReport, placeEnvironment, placeName, placeOf } from './build-test-report.ts';
import { sampleOutcomes, sampleReport } from './sample-test-run.fixture.ts';
import { withoutTimes } from './without-times.fixture.ts';

const phraseCheck = (status: 'pass' | 'fail' | 'error', checkIndex = 0) => ({
  checkIndex,
  checkType: 'contains_phrases',
  status,
  passed: status === 'pass',
  details: {},
  error: status === 'error' ? 'embedding failed' : null,
});
const block = (mode: 'all' | 'any', length: number) => ({
  mode,
  checks: Array.from({ length }, () => ({ type: 'contains_phrases' as const, phrases: ['9'], case_sensitive: false })),
});

describe('buildTestReport', () => {
  test('S0-101 results have the order of the suite, whatever finished first', () => {
    const report = sampleReport([
      { name: 'third', sortOrder: 2 },
      { name: 'first', sortOrder: 0, repetition: 2 },
      { name: 'second', sortOrder: 1 },
      { name: 'first', sortOrder: 0, repetition: 1, outcome: { response: 'a' } },
    ]);
    expect(report.results.map((result) => [result.test_name, result.agent_response])).toEqual([
      ['first', 'a'],
      ['first', 'From 9 to 17'],
      ['second', 'From 9 to 17'],
      ['third', 'From 9 to 17'],
    ]);
  });

  test('S0-09 S0-10 S0-68 S0-69 S0-72 S0-73 S0-76 S0-78 S0-80 a result tells what was asked, expected, called and answered', () => {
    const call = (name: string) => ({
      ...{ id: name, name, args: {}, argsError: null, result: null, error: null },
      ...{ source: 'mock' as const, turn: 0, durationMs: 1 },
    });
    const report = sampleReport([
      {
        name: 'Opening hours',
        case: {
          input: 'Open on {{Day}}?',
          ground_truth: 'Mon–Fri',
          expected_tools: ['a', 'b'],
          expected_tool_calls: [
            { tool: 'a', expected_params: null, forbidden: false },
            { tool: 'b', expected_params: null, forbidden: false },
          ],
        },
        outcome: {
          testInput: '  Open on Monday?\n',
          toolCalls: [call('a'), call('b'), call('a')],
          tools: { matched: true, problems: [] },
          latencyMs: 3000.4,
        },
      },
    ]);
    expect(report.results).toEqual([
      {
        test_name: 'Opening hours',
        test_input: '  Open on Monday?\n',
        processed_files: [],
        agent_response: 'From 9 to 17',
        tool_calls: ['a', 'b', 'a'],
        expected_tools: ['a', 'b'],
        tools_matched: true,
        metric_results: [],
        ground_truth: 'Mon–Fri',
        passed: true,
        execution_time_ms: 3500,
        errors: [],
        timestamp: '2025-11-01T14:30:00.000Z',
      },
    ]);
  });

  test('S0-74 S0-75 S0-77 without expectations nothing is matched or not, and a plain pass has no metrics', () => {
    expect(sampleReport().results[0]).toMatchObject({
      expected_tools: null,
      tools_matched: null,
      metric_results: [],
      passed: true,
    });
  });

  test('S0-88 S0-89 S0-92 S0-95 S0-99 S0-100 S0-102 S0-103 S0-132 S0-133 the summary is counted from the results', () => {
    const failed = { outcome: { status: 'failed' as const, executionTimeMs: 500 } };
    expect(sampleReport([{}, {}, failed])).toMatchObject({
      agent_name: 'Support agent',
      agent_config_path: 'agents/support.agent.yaml',
      timestamp: '2025-11-01T14:35:00Z',
      summary: { total_tests: 3, passed: 2, failed: 1, pass_rate: (2 / 3) * 100, total_duration_ms: 7500 },
    });
  });

  test('C07 a skipped case is listed beside the results and counts in no total', () => {
    const skipped = [{ test_name: 'Old case', reason: 'draft' }];
    const report = sampleReport([{}], 'Support agent', skipped);
    expect(report).toMatchObject({ summary: { total_tests: 1, pass_rate: 100 }, skipped });
    expect(report.results).toHaveLength(1);
  });

  test('S0-106 a report of nothing is refused and says what was skipped', () => {
    const empty = {
      agentName: 'a',
      agentConfigPath: 'a.yaml',
      results: [],
      timestamp: '',
      version: '',
      environment: {},
    };
    expect(buildTestReport({ ...empty, skipped: [{ test_name: 'x', reason: 'draft' }] })).toEqual({
      ok: false,
      reason: 'No case was executed, so there is nothing to report: 1 skipped (draft)',
    });
  });

  test('C42 the expected_behavior block is a metric of 0 or 1 before the configured ones', () => {
    const relevance = { metric_name: 'relevance', score: 0.8, threshold: 0.7, passed: true, scale: null, error: null };
    const report = sampleReport([
      {
        case: { expected_behavior: block('all', 2) },
        outcome: {
          status: 'failed',
          checks: [phraseCheck('pass'), phraseCheck('fail', 1)],
          metrics: [{ ...relevance, retry_count: 0, evaluation_time_ms: 5, model_used: 'gpt-4o' }],
        },
      },
    ]);
    expect(
      report.results[0]?.metric_results.map(({ metric_name, score, passed }) => [metric_name, score, passed]),
    ).toEqual([
      ['expected_behavior', 0, false],
      ['relevance', 0.8, true],
    ]);
    expect(report.results[0]?.passed).toBe(false);
  });

  test.each([
    ['all', ['pass', 'error'], null],
    ['all', ['fail', 'error'], 0],
    ['any', ['fail', 'error'], null],
    ['any', ['pass', 'error'], 1],
    ['any', ['fail', 'fail'], 0],
  ] as const)('a block of mode %s with checks %s has the score %s', (mode, statuses, score) => {
    const checks = statuses.map((status, index) => phraseCheck(status, index));
    const status = score === 1 ? 'passed' : score === 0 ? 'failed' : 'error';
    const report = sampleReport([
      {
        case: { expected_behavior: block(mode, checks.length) },
        outcome: { status, checks, errorKind: score === null ? 'judge' : null },
      },
    ]);
    expect(report.results[0]?.metric_results[0]?.score).toBe(score);
  });

  test('outcomes are a metric with the share that passed', () => {
    const outcomes = sampleOutcomes({ passed: false, score: 0.5 });
    const report = sampleReport([{ outcome: { status: 'failed', outcomes } }]);
    expect(report.results[0]?.metric_results).toMatchObject([
      { metric_name: 'expected_outcomes', score: 0.5, threshold: 1, passed: false },
    ]);
  });

  test('C05 outcomes that nobody could judge have no score', () => {
    const outcomes = sampleOutcomes({ passed: null, score: null, error: 'the judge is down' });
    const report = sampleReport([{ outcome: { status: 'error', errorKind: 'judge', outcomes } }]);
    expect(report.results[0]?.metric_results).toMatchObject([
      { metric_name: 'expected_outcomes', score: null, passed: false, error: 'the judge is down' },
    ]);
  });

  test('S0-71 S0-79 S0-90 a test run that ended in an error counts as failed and carries its message', () => {
    const report = sampleReport([
      { outcome: { status: 'error', errorKind: 'timeout', errorMessage: 'Timeout after 30000ms', response: null } },
      {},
    ]);
    expect(report.summary).toMatchObject({ total_tests: 2, passed: 1, failed: 1, pass_rate: 50 });
    expect(report.results[0]).toMatchObject({ passed: false, agent_response: null, errors: ['Timeout after 30000ms'] });
  });

  test('S0-84 a test run that was lost before its tools were compared did not match them', () => {
    const tools = {
      expected_tools: ['a'],
      expected_tool_calls: [{ tool: 'a', expected_params: null, forbidden: false }],
    };
    const report = sampleReport([{ case: tools, outcome: { status: 'error', errorKind: 'lost' } }]);
    expect(report.results[0]).toMatchObject({ expected_tools: ['a'], tools_matched: false });
  });

  test('a metric that errored without fail_on_error leaves the test passed', () => {
    const errored = { metric_name: 'fluency', score: null, threshold: null, passed: false, scale: null, error: 'down' };
    const metrics = [{ ...errored, retry_count: 0, evaluation_time_ms: 1, model_used: null }];
    expect(sampleReport([{ outcome: { metrics, degraded: true } }]).results[0]?.passed).toBe(true);
  });

  test('two reports of the same suite are equal apart from times and places', () => {
    const again = { outcome: { executionTimeMs: 9, startedAt: '2026-02-02T00:00:00Z' } };
    const [first, second] = [sampleReport([{}]), sampleReport([again])];
    expect(first).not.toEqual(second);
    expect(withoutTimes({ ...second, timestamp: '2026-02-02T00:00:00Z', environment: {} })).toEqual(
      withoutTimes(first),
    );
    expect(withoutTimes(sampleReport([{ outcome: { response: 'other' } }]))).not.toEqual(withoutTimes(first));
  });

  test('S0-109 S0-81 unknown keys are refused', () => {
    const report = sampleReport();
    expect(TestReport.safeParse({ ...report, extra: 1 }).success).toBe(false);
    expect(TestReport.safeParse({ ...report, results: [{ ...report.results[0], extra: 1 }] }).success).toBe(false);
  });
});

const reportAt = (place: { suite: string; cell: string; variant: string }) => ({
  agent_name: 'Agent',
  environment: { node: 'v24', ...placeEnvironment(place) },
});

test('a report says which suite, cell and side its results belong to', () => {
  const place = { suite: 'Hours', cell: 'Temperature=0', variant: 'baseline' };
  expect(placeOf(reportAt(place))).toEqual(place);
  expect(placeName(reportAt(place))).toBe('Hours [Temperature=0] (baseline)');
});

test('without a matrix and a comparison it is the name of the suite alone', () => {
  const report = reportAt({ suite: 'Hours', cell: '', variant: 'head' });
  expect(report.environment).toEqual({ node: 'v24', suite: 'Hours' });
  expect(placeName(report)).toBe('Hours');
});

test('of a report that another tool wrote the agent stands for the suite', () => {
  expect(placeName({ agent_name: 'Support agent', environment: {} })).toBe('Support agent');
});
