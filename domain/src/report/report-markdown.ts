import type { MetricResult } from '@proofmark/contracts/case-outcome';
import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import type { Verdict } from '@proofmark/contracts/verdict';
import { formatDuration, formatRate, formatUtc, twoDecimals } from '../text/format-numbers.ts';
import { fencedBlock, inlineName, joinBlocks, markdownPhrase } from '../text/markdown-text.ts';
import { judgeLines } from '../verdict/judge-calibration.ts';
import { unmeasuredIn, unmeasuredLines } from '../verdict/unmeasured-metrics.ts';
import { placeOf } from './build-test-report.ts';
import { incompleteWords, skipWords } from './incomplete-report.ts';

/** Sentences that say why a test failed, by its position in the report: what a report file itself has no key for. */
export type FailureReasons = ReadonlyMap<number, readonly string[]>;

/**
 * The report in the layout of seed 000. Whatever an agent, a tool or a file wrote cannot change that layout. A verdict adds
 * what labelled answers say about its judge.
 */
export function renderMarkdown(
  report: TestReport,
  reasons: FailureReasons = new Map(),
  verdict: Verdict | null = null,
): string {
  const sections = report.results.flatMap((result, index) => testSection(result, index + 1, reasons.get(index) ?? []));
  const blocks = [
    `# Test Report: ${inlineName(report.agent_name)}`,
    header(report),
    '## Summary',
    metricTable(report),
    ...judgeSection(verdict),
    '## Test Results',
    ...sections,
    ...skippedSection(report),
  ];
  return `${joinBlocks(blocks)}\n`;
}

// Two spaces at the end of a line are Markdown's line break.
const lines = (parts: readonly string[]): string => parts.join('  \n');

function header(report: TestReport): string {
  const { summary, timestamp, proofmark_version, skipped } = report;
  const missing = incompleteWords(report);
  const skippedNote = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  return lines([
    `**Date**: ${formatUtc(timestamp)}`,
    `**Proofmark Version**: ${inlineVersion(proofmark_version)}`,
    `**Tests**: ${summary.passed} passed, ${summary.failed} failed (${formatRate(summary.pass_rate)} pass rate)${skippedNote}`,
    ...(missing === null ? [] : [`**Not complete**: ${missing}`]),
    ...unmeasuredLines(unmeasuredIn(report)).map((line) => `**Not measured**: ${markdownPhrase(line)}`),
    `**Duration**: ${formatDuration(summary.total_duration_ms)}`,
    ...placeLines(report),
  ]);
}

/** Only what tells reports of one run apart; a report of one suite looks as seed 000 has it. */
function placeLines(report: TestReport): string[] {
  const { cell, variant } = placeOf(report);
  return [
    ...(cell === '' ? [] : [`**Cell**: ${inlineName(cell)}`]),
    ...(variant === 'head' ? [] : [`**Variant**: ${inlineName(variant)}`]),
  ];
}

const inlineVersion = (version: string): string => (/^\d+\.\d+\.\d+$/.test(version) ? version : inlineName(version));

function metricTable({ results, summary }: TestReport): string {
  const metrics = results.flatMap((result) => result.metric_results);
  const names = [...new Set(metrics.map((metric) => metric.metric_name))];
  if (names.length === 0) return 'No metrics were evaluated.';
  const rows = names.map((name) => {
    // A metric may be called as what every object inherits.
    const average = Object.hasOwn(summary.average_scores, name) ? summary.average_scores[name] : undefined;
    const rate = metricPassRate(metrics.filter((metric) => metric.metric_name === name));
    return `| ${inlineName(name)} | ${average === undefined ? 'n/a' : twoDecimals(average)} | ${formatRate(rate)} |`;
  });
  return ['| Metric | Avg Score | Pass Rate |', '|--------|-----------|-----------|', ...rows].join('\n');
}

/** How far the judge can be trusted, where somebody has labelled answers for it. */
function judgeSection(verdict: Verdict | null): string[] {
  if (verdict === null || verdict.judge === null) return [];
  return [`**Judge**: ${judgeLines(verdict.judge, verdict.headPassRate).map(markdownPhrase).join(' ')}`];
}

/** Of the results that carry a score: a metric that could not be computed says nothing about the agent. */
function metricPassRate(metrics: readonly MetricResult[]): number | null {
  const scored = metrics.filter((metric) => metric.score !== null);
  return scored.length === 0 ? null : (scored.filter((metric) => metric.passed).length / scored.length) * 100;
}

function testSection(result: TestResult, number: number, reasons: readonly string[]): string[] {
  const name = result.test_name === null ? '(unnamed)' : inlineName(result.test_name);
  const errored = result.metric_results.filter((metric) => metric.error !== null);
  return [
    `### ${mark(result.passed)} Test ${number}: ${name} (${result.passed ? 'PASSED' : 'FAILED'})`,
    ...labelled('Why', reasons),
    ...labelled('Errors', result.errors),
    '**Input**:',
    fencedBlock(result.test_input),
    ...labelled('Files', result.processed_files.map(fileLine)),
    '**Response**:',
    result.agent_response === null ? '(no response)' : fencedBlock(result.agent_response),
    lines([
      `**Tools Called**: ${toolsCalled(result)}`,
      `**Execution Time**: ${formatDuration(result.execution_time_ms)}`,
    ]),
    ...metricList(result.metric_results),
    ...labelled(
      'Metrics without a score',
      errored.map((metric) => `${metric.metric_name}: ${metric.error}`),
    ),
  ];
}

const mark = (passed: boolean): string => (passed ? '✅' : '❌');

const labelled = (label: string, texts: readonly string[]): string[] =>
  texts.length === 0 ? [] : [`**${label}**:`, fencedBlock(texts.join('\n'))];

function fileLine({ original, markdown_content, error }: TestResult['processed_files'][number], index: number): string {
  const place = original.path ?? original.url ?? 'file';
  return `${index + 1}. ${place} (${original.type}): ${error ?? `${markdown_content.length} characters`}`;
}

function toolsCalled({ tool_calls, tools_matched }: TestResult): string {
  const names = tool_calls.length === 0 ? 'none' : tool_calls.map((name) => inlineName(name, 64)).join(', ');
  if (tools_matched === null) return names;
  return `${names} ${mark(tools_matched)} ${tools_matched ? '(matched expected)' : '(did not match expected)'}`;
}

function metricList(metrics: readonly MetricResult[]): string[] {
  return metrics.length === 0 ? [] : [`**Metrics**:\n${metrics.map(metricLine).join('\n')}`];
}

function metricLine(metric: MetricResult): string {
  const name = inlineName(displayName(metric.metric_name));
  if (metric.score === null) return `- ${name}: no score ⚠️ error`;
  const limit = metric.threshold === null ? 'no threshold' : twoDecimals(metric.threshold);
  return `- ${name}: ${twoDecimals(metric.score)} / ${limit} ${mark(metric.passed)}`;
}

/** `tool_call_accuracy` as `Tool call accuracy`. */
function displayName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function skippedSection({ skipped }: TestReport): string[] {
  if (skipped.length === 0) return [];
  return [
    '## Skipped',
    skipped.map((one) => `- ${inlineName(one.test_name)}: ${inlineName(skipWords(one))}`).join('\n'),
  ];
}
