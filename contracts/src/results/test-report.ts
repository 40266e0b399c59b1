import { z } from 'zod';
import { MetricResult } from './case-outcome.ts';
import { ProcessedFileInput } from './processed-file.ts';

const timestamp = z.iso.datetime({ offset: true });
const milliseconds = z.int().min(0);
const count = z.int().min(0);

/** The code of a rule between fields travels in the issue, so that every edge names it in the same way. */
const rule = (path: string[], code: string, message: string) => ({
  code: 'custom' as const,
  path,
  message,
  params: { code },
});

/** One executed test run as report files hold it (seed 000). */
export const TestResult = z
  .strictObject({
    test_name: z.string().nullable().default(null),
    test_input: z.string().min(1),
    processed_files: z.array(ProcessedFileInput).default([]),
    agent_response: z.string().nullable().default(null),
    tool_calls: z.array(z.string()).default([]),
    expected_tools: z.array(z.string()).nullable().default(null),
    tools_matched: z.boolean().nullable().default(null),
    metric_results: z.array(MetricResult).default([]),
    ground_truth: z.string().nullable().default(null),
    passed: z.boolean(),
    execution_time_ms: milliseconds,
    errors: z.array(z.string()).default([]),
    timestamp,
  })
  .superRefine((result, context) => {
    if (result.expected_tools !== null && result.tools_matched === null) {
      context.addIssue(rule(['tools_matched'], 'required', 'expected_tools is given, so tools_matched is not null'));
    }
    if (result.passed && hasFailed(result)) {
      context.addIssue(
        rule(['passed'], 'mismatch', 'a result with an error, a failed metric or unmatched tools has not passed'),
      );
    }
  });
export type TestResult = z.infer<typeof TestResult>;

type Judged = Pick<TestResult, 'errors' | 'metric_results' | 'tools_matched'>;

/** A metric that could not be computed is no failure by itself: when it must not be missed, `errors` says so. */
const hasFailed = ({ errors, metric_results, tools_matched }: Judged): boolean =>
  errors.length > 0 ||
  tools_matched === false ||
  metric_results.some((metric) => !metric.passed && metric.error === null);

export const ReportSummary = z
  .strictObject({
    total_tests: count,
    passed: count,
    failed: count,
    /** Percent 0–100; null when nothing was executed. */
    pass_rate: z.number().min(0).max(100).nullable().default(null),
    total_duration_ms: milliseconds,
    /** How many results carry a score of the metric. */
    metrics_evaluated: z.record(z.string(), count).default({}),
    average_scores: z.record(z.string(), z.number()).default({}),
  })
  .superRefine((summary, context) => {
    if (summary.total_tests !== summary.passed + summary.failed) {
      context.addIssue(rule(['total_tests'], 'mismatch', 'total_tests is passed plus failed'));
    }
  });
export type ReportSummary = z.infer<typeof ReportSummary>;

export const SkippedTest = z.strictObject({ test_name: z.string(), reason: z.string() });
export type SkippedTest = z.infer<typeof SkippedTest>;

/** A metric that gave no measure in some test runs that it was to measure, and the most common reason. */
export const NotMeasured = z.strictObject({
  metric_name: z.string(),
  measured: count,
  /** Test runs in which it was to be measured. */
  test_runs: count,
  reason: z.string(),
});
export type NotMeasured = z.infer<typeof NotMeasured>;

/** The report of one suite run (seed 000): executed test runs in the order of the suite, and what was skipped beside them. */
export const TestReport = z
  .strictObject({
    agent_name: z.string(),
    agent_config_path: z.string(),
    results: z.array(TestResult).min(1),
    summary: ReportSummary,
    skipped: z.array(SkippedTest).default([]),
    /** Absent: every metric was measured wherever it was to be. */
    not_measured: z.array(NotMeasured).optional(),
    timestamp,
    proofmark_version: z.string(),
    environment: z.record(z.string(), z.string()).default({}),
  })
  .superRefine((report, context) => {
    if (report.summary.total_tests !== report.results.length) {
      context.addIssue(rule(['summary', 'total_tests'], 'mismatch', 'total_tests is the number of results'));
    }
  });
export type TestReport = z.infer<typeof TestReport>;
