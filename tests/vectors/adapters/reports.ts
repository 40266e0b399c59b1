import { MetricResult } from '@proofmark/contracts/case-outcome';
import { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { shapeProblems } from '@proofmark/contracts/shape-problems';
import { expectTools, ToolExpectation } from '@proofmark/contracts/test-case';
import { ReportSummary, TestReport, TestResult } from '@proofmark/contracts/test-report';
import { formatDuration } from '@proofmark/domain/format-measures';
import { formatRate } from '@proofmark/domain/format-numbers';
import { metricPassed } from '@proofmark/domain/metric-passed';
import { countMetrics, summarize } from '@proofmark/domain/summarize';
import { decideStatus } from '@proofmark/runner-agent/finish-outcome';
import { matchTools } from '@proofmark/runner-agent/match-tools';
import { z } from 'zod';
import { type Adapter, adapter } from './adapter.ts';

const Scored = z.object({ metric_name: z.string(), score: z.number().nullable() });
const SummarizedResult = z
  .object({ passed: z.boolean(), execution_time_ms: z.number(), metrics: z.array(Scored) })
  .transform(({ metrics, ...rest }) => ({ ...rest, metric_results: metrics }));

const JudgedMetric = z.object({
  metric_name: z.string().default('m'),
  passed: z.boolean(),
  error: z.string().nullish(),
  fail_on_error: z.boolean().default(false),
});
const Judged = z.object({
  errors: z.array(z.string()).default([]),
  metrics: z.array(JudgedMetric).default([]),
  tools_matched: z.boolean().nullable().default(null),
});

const ExpectedTools = z
  .array(z.union([z.string(), ToolExpectation]))
  .nullable()
  .transform((entries) => {
    const names = entries?.filter((entry) => typeof entry === 'string') ?? [];
    return entries && [...expectTools(names), ...entries.filter((entry) => typeof entry !== 'string')];
  });
const Call = z
  .union([
    z.string().transform((name) => ({ name, args: {} })),
    z.object({ name: z.string(), args: z.json().default({}) }),
  ])
  .transform((call, context) => ({
    ...call,
    id: context.value.name,
    argsError: null,
    result: null,
    error: null,
    source: 'mock' as const,
    turn: 0,
    durationMs: 0,
  }));

/** The one number of the input, whatever it is called. */
const Milliseconds = z
  .record(z.string(), z.unknown())
  .transform((fields) => z.number().parse(Object.values(fields).find((value) => typeof value === 'number')));

/** Validates a whole document of which the vector gives the fields it is about. */
const validates = (schema: z.ZodType, complete: (fields: Record<string, unknown>) => unknown): Adapter =>
  adapter(z.record(z.string(), z.unknown()), ({ kind: _kind, ...fields }) => {
    const errors = shapeProblems(schema, complete(fields)).map(({ path, code }) => ({ path, code }));
    return errors.length === 0 ? { valid: true } : { valid: false, errors };
  });

const time = '2025-11-01T14:30:00Z';
const metric = { metric_name: 'm', score: null, passed: true, evaluation_time_ms: 0 };
const result = { test_input: 'q', passed: true, execution_time_ms: 1, timestamp: time };
const summary = { passed: 0, failed: 0, pass_rate: null, total_duration_ms: 0 };
const fieldsOf = z.record(z.string(), z.unknown());
const list = z.array(fieldsOf).default([]);

export const reports: Readonly<Record<string, Adapter>> = {
  summary: adapter(z.object({ results: z.array(SummarizedResult) }), ({ results }) => summarize(results)),
  test_passed: adapter(Judged, ({ errors, metrics, tools_matched }) => {
    const [message] = errors;
    const { status, degraded } = decideStatus({
      error: message === undefined ? null : { kind: 'agent', message },
      toolsMatched: tools_matched,
      verdicts: [],
      checks: [],
      metrics: metrics.map((one) => ({ ...one, error: one.error ?? null, failOnError: one.fail_on_error })),
    });
    return { passed: status === 'passed', degraded };
  }),
  metric_passed: adapter(
    z.object({ score: z.number().nullable(), threshold: z.number().nullish(), verdict: z.boolean().nullish() }),
    (input) => ({ passed: metricPassed(input) }),
  ),
  tools_matched: adapter(
    z.object({ expected: ExpectedTools, actual: z.array(Call) }),
    ({ expected, actual }) => matchTools(expected, actual).matched,
  ),
  test_result_counts: adapter(z.object({ metrics: z.array(z.object({ passed: z.boolean() })) }), ({ metrics }) =>
    countMetrics(metrics),
  ),
  validate_summary: validates(ReportSummary, (fields) => fields),
  validate_metric_result: validates(MetricResult, (fields) => ({ ...metric, ...fields })),
  validate_processed_file: validates(ProcessedFileInput, (fields) => ({
    original: { path: 'a.txt', type: 'text' },
    ...fields,
  })),
  validate_test_result: validates(TestResult, ({ metrics, ...fields }) => ({
    ...result,
    ...fields,
    metric_results: list.parse(metrics).map((one) => ({ ...metric, ...one })),
  })),
  validate_report: validates(TestReport, ({ results, summary: given, ...fields }) => {
    const counts = fieldsOf.parse(given);
    return {
      agent_name: 'a',
      agent_config_path: 'a.yaml',
      proofmark_version: '0',
      ...fields,
      results: list.parse(results).map((one) => ({ ...result, ...one })),
      summary: { ...summary, passed: counts.total_tests, ...counts },
    };
  }),
  format_duration: adapter(Milliseconds, formatDuration),
  format_pass_rate: adapter(z.object({ pass_rate: z.number().nullable() }), ({ pass_rate }) => formatRate(pass_rate)),
};
