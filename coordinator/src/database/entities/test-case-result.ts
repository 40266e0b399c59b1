import { defineEntity, p } from '@mikro-orm/core';
import type { Adjustment, CaseOutcome, CheckResult, MetricResult, ToolCall } from '@proofmark/contracts/case-outcome';
import { Variant } from '@proofmark/contracts/case-work';
import { TestRunStatus } from '@proofmark/contracts/error-kind';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { count, createdAt, id, partOf, tenantOfWhole, text, time } from './columns.ts';
import { indexOn, uniqueOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestCase } from './test-case.ts';
import { TestSuiteRun } from './test-suite-run.ts';

/** What an outcome holds beyond the columns of its row. */
export type PayloadOutcome = Omit<
  CaseOutcome,
  | 'status'
  | 'errorKind'
  | 'errorMessage'
  | 'degraded'
  | 'truncated'
  | 'testInput'
  | 'response'
  | 'checks'
  | 'toolCalls'
  | 'metrics'
  | 'executionTimeMs'
  | 'latencyMs'
  | 'costUsd'
  | 'model'
  | 'retryCount'
  | 'startedAt'
>;

const TestCaseResultSchema = defineEntity({
  name: 'TestCaseResult',
  tableName: 'test_case_results',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    uniqueOn('test_case_results_test_case_idx', 'test_case_results', [
      'test_case_id',
      'run_id',
      'repetition',
      'variant',
      'tenant_id',
    ]),
    indexOn('test_case_results_run_idx', 'test_case_results', [
      'run_id',
      'tenant_id',
      'sort_order',
      'repetition',
      'id',
    ]),
    indexOn('test_case_results_name_idx', 'test_case_results', ['run_id', 'case_name']),
  ],
  checks: [{ name: 'test_case_results_error_kind_check', expression: `(status = 'error') = (error_kind is not null)` }],
  properties: {
    tenantId: tenantOfWhole,
    /** The id of the test run; it has one row, and that row never changes. */
    id: id(),
    /** The suite run, under the name that seed 002 gives it. */
    run: () => partOf(TestSuiteRun, 'run_id'),
    testCase: () => partOf(TestCase, 'test_case_id'),
    status: p.enum(TestRunStatus.options),
    actualResponse: text().nullable(),
    checkResults: p.json<CheckResult[]>().nullable(),
    durationMs: p.integer().nullable(),
    errorMessage: text().nullable(),
    errorKind: text().nullable(),
    degraded: p.boolean().default(false),
    truncated: p.boolean().default(false),
    caseName: text(),
    caseKey: text(),
    caseHash: text(),
    instrumentHash: text(),
    sortOrder: count(),
    line: p.integer().nullable(),
    repetition: p.integer().default(1),
    variant: p.enum(Variant.options).default('head'),
    attempt: count(),
    testInput: text().nullable(),
    toolCalls: p.json<ToolCall[]>().nullable(),
    toolsMatched: p.boolean().nullable(),
    metricResults: p.json<MetricResult[]>().nullable(),
    /** Null: no model refused anything. */
    adjustments: p.json<Adjustment[]>().nullable(),
    latencyMs: p.double().nullable(),
    promptTokens: p.integer().nullable(),
    completionTokens: p.integer().nullable(),
    costUsd: p.double().nullable(),
    /** Judges and simulated users included. */
    spentUsd: p.double().nullable(),
    model: text().nullable(),
    retryCount: count(),
    skipReason: text().nullable(),
    resolvedVariables: p.json<ResolvedVariables>().nullable(),
    startedAt: time().nullable(),
    createdAt: createdAt(),
    /** Null: decided without a runner. */
    payload: p.json<PayloadOutcome>().columnType('json').nullable(),
  },
});

/** The end of a test run. Inserted once by the ledger, never updated. */
export class TestCaseResult extends TestCaseResultSchema.class {}
TestCaseResultSchema.setClass(TestCaseResult);
