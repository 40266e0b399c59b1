import { ABSession } from '@proofmark/contracts/ab-session';
import { expect, test } from 'vitest';
import { renderCsv } from '../report/report-csv.ts';
import { renderJunit } from '../report/report-junit.ts';
import { renderMarkdown } from '../report/report-markdown.ts';
import { renderHtml } from '../report-html/render-html.ts';
import { sessionReports } from './session-files.ts';

const at = '2026-01-01T00:00:00Z';
const said = (response: string, error: string | null = null) => ({
  ...{ response, error, prompt_tokens: 3, completion_tokens: 4, latency_ms: 12.6, model: 'm', timestamp: at },
});
const session = ABSession.parse({
  ...{ session_id: 's1', start_time: at, baseline_model: 'Old', candidate_model: 'New' },
  results: [
    {
      ...{ question: 'When?', session_id: 's1', timestamp: at, context_tokens: 0 },
      ...{ baseline: said('At 9'), candidate: said('Whenever') },
      metadata: {
        suite: 'Shop',
        suite_path: 'shop.suite.yaml',
        case: 'Hours',
        baseline_status: 'passed',
        candidate_status: 'failed',
      },
    },
    {
      ...{ question: 'Who?', session_id: 's1', timestamp: at, context_tokens: 0 },
      ...{ baseline: said('We'), candidate: said('', 'Timeout after 30000ms') },
      metadata: { suite: 'Shop', suite_path: 'shop.suite.yaml', case: 'People' },
    },
  ],
});

test('a session becomes a report per side, with what passed there and what broke', () => {
  const reports = sessionReports(session, '1.2.3');
  expect(reports.map(({ report }) => [report.agent_name, report.environment.variant, report.summary.passed])).toEqual([
    ['New', 'candidate', 0],
    ['Old', 'baseline', 2],
  ]);
  expect(reports[0]?.report.results.map(({ test_name, errors }) => [test_name, errors])).toEqual([
    ['Hours', []],
    ['People', ['Timeout after 30000ms']],
  ]);
  expect([...(reports[0]?.facts?.values() ?? [])].map(({ latencyMs, tokens }) => [latencyMs, tokens])).toEqual([
    [12.6, 7],
    [null, 7],
  ]);
});

test('every format can be made of it, and the page holds both answers side by side', () => {
  const reports = sessionReports(session, '1.2.3');
  const page = renderHtml(reports);
  expect(page).toMatch(
    /<dt>Said<\/dt><dd class=""><bdi>Whenever<\/bdi>.*<dt>Base said<\/dt><dd class=""><bdi>At 9<\/bdi>/,
  );
  expect(page).toContain('Pass rate 0%: 1 failed, 1 error, 0 passed, 0 skipped');
  expect(reports.map(({ report }) => renderMarkdown(report)).join('')).toContain('**Variant**: candidate');
  expect(renderCsv(reports.map(({ report }) => report)).split('\r\n')).toHaveLength(6);
  expect(renderJunit(reports.map(({ report }) => report))).toContain(
    '<error type="error" message="Timeout after 30000ms">',
  );
});

test('S3-21 S3-35 S3-38 S3-40 the page says of each answer what seed 003 computes, under its own names', () => {
  const noted = { ...session.results[0]?.metadata, category: 'opening hours' };
  const results = session.results.map((result, at) => (at === 0 ? { ...result, metadata: noted } : result));
  const page = renderHtml(sessionReports({ ...session, results }, '1.2.3'));
  const told = (name: string): string[] =>
    [...page.matchAll(new RegExp(`<dt>${name}</dt><dd>(?:<bdi>)?([^<]*)`, 'g'))].map(([, value]) => value ?? '');
  for (const name of ['token_overhead_pct', 'latency_improvement_pct', 'latency_change_pct', 'response_length_ratio'])
    expect(told(name)).toHaveLength(2);
  expect(told('both_successful')).toEqual(['true', 'false']);
  expect(told('tokens_per_ms')).toHaveLength(4);
  expect(told('category')).toEqual(['opening hours', 'opening hours']);
});

test('a session in which nothing was answered has no report', () => {
  expect(sessionReports({ ...session, results: [] }, '1.2.3')).toEqual([]);
});
