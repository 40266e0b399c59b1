import { defineEntity, p } from '@mikro-orm/core';
import { partOf, tenantOfWhole, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestCase } from './test-case.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const CaseSummarySchema = defineEntity({
  name: 'CaseSummary',
  tableName: 'case_summaries',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    indexOn(
      'case_summaries_history_idx',
      'case_summaries',
      ['suite_id', 'cell_key', 'case_key', 'ended_at'],
      'is_history',
    ),
    indexOn('case_summaries_test_case_idx', 'case_summaries', ['test_case_id', 'ended_at']),
  ],
  checks: [{ name: 'case_summaries_outcomes_check', expression: `outcomes ~ '^[pfei]+$'` }],
  properties: {
    tenantId: tenantOfWhole,
    suiteRun: () => partOf(TestSuiteRun, 'suite_run_id').primary(),
    /** The results were checked against it; it goes with its suite run. */
    testCase: () => partOf(TestCase, 'test_case_id').primary().createForeignKeyConstraint(false),
    suiteId: p.uuid(),
    cellKey: text(),
    settingKey: text(),
    agentHash: text(),
    caseName: text(),
    caseKey: text(),
    caseHash: text(),
    instrumentHash: text(),
    /** Of a run of the base branch: what flakiness is measured by. */
    isBase: p.boolean(),
    /** Of the base branch, or of the base beside a pull request: what comparisons may lean on. */
    isHistory: p.boolean(),
    /** One letter per executed test run in the order of the repetitions: passed, failed, errored, invalid. */
    outcomes: text(),
    /** Means over the test runs whose value is known. */
    latencyMs: p.double().nullable(),
    tokens: p.double().nullable(),
    costUsd: p.double().nullable(),
    /** When the last of them ended. */
    endedAt: time(),
  },
});

/** What one case came to in one suite run. Written once when the suite run is judged. */
export class CaseSummary extends CaseSummarySchema.class {}
CaseSummarySchema.setClass(CaseSummary);
