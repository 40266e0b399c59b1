import { MetricResult } from '@proofmark/contracts/case-outcome';
import { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { shapeProblems } from '@proofmark/contracts/shape-problems';
import { ReportSummary, TestReport, TestResult } from '@proofmark/contracts/test-report';
import {
  validateEvaluationConfig,
  validateFileInput,
  validateMetric,
  validateSuite,
  validateTestCase,
  validateVariableDocuments,
} from '@proofmark/contracts/validate';
import { type Adapter, adapter } from '@proofmark/domain/vector-adapter';
import { z } from 'zod';

const Written = z.object({ value: z.unknown() });
const WrittenCase = Written.extend({ source: z.object({ file: z.string(), index: z.number() }).optional() });
const Documents = z.object({
  value: z.object({ type: z.unknown(), test: z.unknown().optional(), suite: z.unknown().optional() }),
});

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

/** What answers the vectors about documents. */
export const documents: Readonly<Record<string, Adapter>> = {
  test_case: adapter(WrittenCase, ({ value, source }) => validateTestCase(value, source)),
  file_input: adapter(Written, ({ value }) => validateFileInput(value)),
  metric: adapter(Written, ({ value }) => validateMetric(value)),
  evaluation_config: adapter(Written, ({ value }) => validateEvaluationConfig(value)),
  suite: adapter(Written, ({ value }) => validateSuite(value)),
  definition: adapter(Documents, ({ value }) => validateVariableDocuments(value)),
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
};
