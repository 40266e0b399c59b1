import { MetricResult } from '@proofmark/contracts/case-outcome';
import { describe, expect, test } from 'vitest';
import { parseReports } from '../report/parse-report.ts';
import { sampleReport } from '../report/sample-test-run.fixture.ts';
import { renderJson } from './screen-safe-json.ts';

describe('renderJson', () => {
  test('S0-110 S0-111 two spaces of indent and no key without a value', () => {
    const json = renderJson(sampleReport([{ outcome: { response: null } }]));
    expect(json.split('\n').slice(0, 3)).toEqual([
      '{',
      '  "agent_name": "Support agent",',
      '  "agent_config_path": "agents/support.agent.yaml",',
    ]);
    expect(json).not.toContain(': null');
    expect(json).toContain('"processed_files": []');
  });

  test('S0-70 S0-134 every key is written in snake_case, down to the metrics', () => {
    const metric = { metric_name: 'relevance', score: 0.8, threshold: 0.7, passed: true, scale: null, error: null };
    const metrics = [{ ...metric, retry_count: 0, evaluation_time_ms: 1200, model_used: 'gpt-4o' }];
    const json = renderJson(sampleReport([{ outcome: { metrics } }]));
    expect(JSON.parse(json)).toMatchObject({ results: [{ metric_results: [{ evaluation_time_ms: 1200 }] }] });
    const keys = [...json.matchAll(/"([^"]+)":/g)].map(([, key]) => key);
    expect(keys).toContain('metrics_evaluated');
    expect(keys.filter((key) => !/^[a-z]+(_[a-z]+)*$/.test(key ?? ''))).toEqual([]);
  });
});

describe('parseReports', () => {
  test('a report comes back from its own JSON without loss', () => {
    const report = sampleReport([{}, { name: 'other', outcome: { response: null } }]);
    expect(parseReports(renderJson(report))).toEqual({ ok: true, reports: [report] });
    expect(parseReports(renderJson([report, report]))).toEqual({ ok: true, reports: [report, report] });
  });

  test.each([
    ['passed', { passed: 2, failed: 0 }, 'summary.passed: says 2, and the results come to 1'],
    ['pass_rate', { pass_rate: 100 }, 'summary.pass_rate: says 100, and the results come to 50'],
    [
      'average_scores',
      { average_scores: { relevance: 0.9 } },
      'summary.average_scores.relevance: says 0.9, and the results come to none',
    ],
    [
      'total_duration_ms',
      { total_duration_ms: 1 },
      /^summary\.total_duration_ms: says 1, and the results come to \d+$/,
    ],
  ])('S0-120 S0-132 S0-133 a summary whose %s contradicts the results is refused', (_, parts, words) => {
    const report = sampleReport([{}, { outcome: { status: 'failed' } }]);
    const read = parseReports(JSON.stringify({ ...report, summary: { ...report.summary, ...parts } }));
    if (read.ok) throw new Error('The file was believed');
    expect(read.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual(
      expect.arrayContaining([expect.stringMatching(words)]),
    );
  });

  test('S0-120 what a summary leaves out or rounds is computed', () => {
    const report = sampleReport([{}, { outcome: { status: 'failed' } }, {}]);
    const { pass_rate } = report.summary;
    const rounded = { ...report.summary, pass_rate: Math.round((pass_rate ?? 0) * 100) / 100, metrics_evaluated: {} };
    expect(pass_rate).not.toBe(rounded.pass_rate);
    expect(parseReports(JSON.stringify({ ...report, summary: rounded }))).toEqual({ ok: true, reports: [report] });
  });

  test('the version key of seed 000 is read', () => {
    const { proofmark_version, ...rest } = sampleReport();
    expect(parseReports(JSON.stringify({ ...rest, holodeck_version: proofmark_version }))).toMatchObject({ ok: true });
  });

  test('S0-107 every broken rule is named with its key', () => {
    const report = sampleReport([{}, {}]);
    const [first, second] = report.results;
    const broken = {
      ...report,
      results: [
        { ...first, errors: ['x'] },
        { ...second, execution_time_ms: -1 },
      ],
      timestamp: 'today',
    };
    expect(parseReports(JSON.stringify(broken))).toMatchObject({
      ok: false,
      problems: [
        { path: 'results[0].passed', code: 'mismatch' },
        { path: 'results[1].execution_time_ms', code: 'out_of_range' },
        { path: 'timestamp', code: 'invalid_format' },
      ],
    });
  });

  test('a file that is not JSON is one problem', () => {
    expect(parseReports('# Report')).toMatchObject({ ok: false, problems: [{ code: 'parse_error' }] });
    expect(parseReports('[]')).toMatchObject({ ok: false, problems: [{ code: 'too_short' }] });
  });
});

test('S0-111 a report without its nulls is read as the report it was', () => {
  const metric = {
    metric_name: 'relevance',
    score: null,
    passed: false,
    error: 'judge is down',
    evaluation_time_ms: 3,
  };
  const report = sampleReport([
    { outcome: { response: null, metrics: [MetricResult.parse(metric)], degraded: true } },
    { name: 'with tools', case: { expected_tools: ['a'] }, outcome: { tools: { matched: true, problems: [] } } },
  ]);
  const text = renderJson(report);
  expect(text).not.toContain(': null');
  expect(parseReports(text)).toEqual({ ok: true, reports: [report] });
});
