import { MetricResult } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { renderCsv } from '../report/report-csv.ts';
import { renderJunit } from '../report/report-junit.ts';
import { renderMarkdown } from '../report/report-markdown.ts';
import { sampleReport } from '../report/sample-test-run.fixture.ts';
import { renderHtml } from '../report-html/render-html.ts';
import { plainPhrase } from '../text/phrase.ts';
import { openMetricTally, unmeasuredLines } from './unmeasured-metrics.ts';

const metric = (metric_name: string, error: string | null): MetricResult =>
  MetricResult.parse({
    metric_name,
    score: error === null ? 1 : null,
    passed: error === null,
    error,
    evaluation_time_ms: 1,
  });

/** Two test runs that passed: one metric works, one is dead, one died once. */
const report = sampleReport([
  { name: 'a', outcome: { metrics: [metric('works', null), metric('dead', '503: <down>'), metric('tired', null)] } },
  { name: 'b', outcome: { metrics: [metric('works', null), metric('dead', '503: <down>'), metric('tired', 'slow')] } },
]);

test('S0-37 a report file names each metric that is missing with how often and why, and one without a gap has no such key', () => {
  expect(report.not_measured).toEqual([
    { metric_name: 'dead', measured: 0, test_runs: 2, reason: '503: <down>' },
    { metric_name: 'tired', measured: 1, test_runs: 2, reason: 'slow' },
  ]);
  expect(sampleReport([{ outcome: { metrics: [metric('works', null)] } }])).not.toHaveProperty('not_measured');
});

test('S0-37 Markdown, CSV, JUnit and HTML say the same of a metric that nobody measured', () => {
  const markdown = renderMarkdown(report);
  expect(markdown).toContain(
    '**Not measured**: The metric <code>dead</code> was not measured in any of 2 test runs: <code>503&#58; &#60;down&#62;</code>.',
  );
  expect(markdown).toContain('The metric <code>tired</code> was measured in 1 of 2 test runs only: <code>slow</code>.');
  expect(renderCsv([report])).toContain(',"dead: 503: <down>\ntired: slow",');
  const html = renderHtml([{ report }]);
  expect(html).toContain('Not everything was measured.');
  expect(html).toContain(
    'The metric <code><bdi>dead</bdi></code> was not measured in any of 2 test runs: <code><bdi>503: &lt;down&gt;</bdi></code>.',
  );
  expect(html).toContain('<title>…');
});

test('S0-37 to a build server a metric that measured nothing, or too little, is a test that could not be judged', () => {
  const xml = renderJunit([report]);
  expect(xml).toContain('<testsuites name="Proofmark" tests="4" failures="0" errors="2" skipped="0"');
  expect(xml).toMatch(
    /name="metric tired" time="0.000"><error type="not measured" message="The metric `tired` was measured in 1 of 2/,
  );
  expect(xml).toMatch(/<testcase classname="Support agent" name="metric dead" time="0.000"><error type="not measured"/);
  expect(xml).toContain(
    '<property name="not_measured" value="The metric `tired` was measured in 1 of 2 test runs only: `slow`."/>',
  );
});

test('S0-37 a metric that was measured in nearly all cases is told and spoils no title and no build', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const tired = sampleReport(
    names.map((name) => ({ name, outcome: { metrics: [metric('tired', name === 'a' ? 'slow' : null)] } })),
  );
  expect(renderHtml([{ report: tired }])).toContain('<title>✓');
  expect(renderJunit([tired])).toContain('<testsuites name="Proofmark" tests="5" failures="0" errors="0"');
  const few = sampleReport(
    names.map((name) => ({ name, outcome: { metrics: [metric('tired', name < 'c' ? 'slow' : null)] } })),
  );
  expect(renderHtml([{ report: few }])).toContain('<title>…');
});

/** Each case with what became of one metric in its test runs. */
function tallied(cases: Record<string, (string | null)[]>, minCoverage = 80) {
  const tally = openMetricTally();
  for (const [name, errors] of Object.entries(cases))
    for (const error of errors) tally.add(name, [{ name: 'm', error }]);
  return tally.end(minCoverage);
}

test('a metric is measured enough when it was in as many cases as the gate demands, whatever the repetitions', () => {
  const gone = { e: ['down', 'down'] };
  const fine = { a: [null], b: [null], c: [null, 'down'], d: [null] };
  expect(tallied(fine)).toEqual([{ metric: 'm', measured: 4, wanted: 5, reason: 'down', isEnough: true }]);
  expect(tallied({ ...fine, ...gone })).toMatchObject([{ measured: 4, wanted: 7, isEnough: true }]);
  expect(tallied({ ...fine, ...gone }, 81)).toMatchObject([{ isEnough: false }]);
  expect(tallied({ a: [null] })).toEqual([]);
});

test('where a metric has nothing to rate nothing is missing, unless it rated nothing at all', () => {
  const idle = 'not_applicable: there are no claims';
  expect(tallied({ a: [null], b: [idle] })).toEqual([]);
  expect(tallied({ a: [idle], b: [idle] })).toMatchObject([{ measured: 0, wanted: 2, reason: idle, isEnough: false }]);
});

test('the most common reason is told on one line of bounded length, and of many metrics the first ten', () => {
  const [one] = tallied({ a: ['x', 'long\n'.repeat(100), 'long\n'.repeat(100)] });
  expect(one?.reason).toHaveLength(200);
  expect(one?.reason).toMatch(/^long long /);
  const many = Array.from({ length: 12 }, (_, at) => ({
    metric: `m${at}`,
    measured: 0,
    wanted: 1,
    reason: 'r',
    isEnough: false,
  }));
  const lines = unmeasuredLines(many).map(plainPhrase);
  expect(lines[0]).toBe('The metric `m0` was not measured in the one test run: `r`.');
  expect(lines.slice(10)).toEqual(['And 2 more metrics were not measured everywhere.']);
});
