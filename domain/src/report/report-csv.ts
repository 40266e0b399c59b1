import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import { type CsvCell, type CsvOptions, csvText } from '../text/csv-text.ts';
import { redactText } from '../text/redact-text.ts';
import { placeOf } from './build-test-report.ts';
import { countMetrics } from './summarize.ts';

/** Reports as one CSV table: a row per test run, and a column of scores per metric that occurs anywhere. */
export function renderCsv(reports: readonly TestReport[], options: CsvOptions = {}): string {
  const metrics = [...new Set(reports.flatMap((report) => report.results.flatMap(metricNames)))];
  const lines = reports.flatMap((report) => report.results.map((result) => csvLine(report, result, metrics, options)));
  return [csvHead(metrics, options), ...lines].join('');
}

/** The first line of the table; with a line per test run below it, the table is made piece by piece. */
export const csvHead = (metrics: readonly string[], options: CsvOptions = {}): string =>
  csvText([[...fixedColumns, ...metrics.map((name) => `score_${name}`)]], options);

/** One test run as a line of the table. */
export const csvLine = (
  report: ReportHead,
  result: TestResult,
  metrics: readonly string[],
  options: CsvOptions = {},
): string => csvText([row(report, result, metrics)], options);

/** What of a report tells where its results belong. */
type ReportHead = Pick<TestReport, 'agent_name' | 'environment'>;

const fixedColumns = [
  'agent_name',
  'suite',
  'cell',
  'variant',
  'test_name',
  'passed',
  'errors',
  'execution_time_ms',
  'tool_calls',
  'tools_matched',
  'metrics_passed',
  'metrics_total',
  'test_input',
  'agent_response',
  'ground_truth',
  'timestamp',
  'metric_errors',
];

/** Why metrics of a test run have no score, a line each: nothing of it stands in the column of errors. */
const metricErrors = ({ metric_results: metrics }: TestResult): string =>
  metrics.flatMap(({ metric_name, error }) => (error === null ? [] : [`${metric_name}: ${error}`])).join('\n');

const metricNames = (result: TestResult): string[] => result.metric_results.map((metric) => metric.metric_name);

function row(report: ReportHead, result: TestResult, metrics: readonly string[]): CsvCell[] {
  const scores = new Map(result.metric_results.map((metric) => [metric.metric_name, metric.score]));
  const place = placeOf(report);
  const counts = countMetrics(result.metric_results);
  const cells: CsvCell[] = [
    report.agent_name,
    place.suite,
    place.cell,
    place.variant,
    result.test_name,
    result.passed,
    result.errors.join('\n'),
    result.execution_time_ms,
    result.tool_calls.join(' '),
    result.tools_matched,
    counts.metrics_passed,
    counts.metrics_total,
    result.test_input,
    result.agent_response,
    result.ground_truth,
    result.timestamp,
    metricErrors(result),
    ...metrics.map((name) => scores.get(name) ?? null),
  ];
  return cells.map((cell) => (typeof cell === 'string' ? redactText(cell) : cell));
}
