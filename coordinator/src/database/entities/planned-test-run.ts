import { defineEntity, p } from '@mikro-orm/core';
import { Variant } from '@proofmark/contracts/case-work';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { count, partOf, tenantOfWhole, text } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const PlannedTestRunSchema = defineEntity({
  name: 'PlannedTestRun',
  tableName: 'planned_test_runs',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [indexOn('planned_test_runs_suite_run_idx', 'planned_test_runs', ['suite_run_id'])],
  properties: {
    tenantId: tenantOfWhole,
    testRunId: p.uuid().primary(),
    suiteRun: () => partOf(TestSuiteRun, 'suite_run_id'),
    /** Through the suite run, which the foreign key above ties to its run. */
    runId: p.uuid(),
    testCaseId: p.uuid(),
    caseName: text(),
    caseKey: text(),
    caseHash: text(),
    instrumentHash: text(),
    sortOrder: count(),
    /** Where the case's name stands in the suite file of this run; the stored case may be of another commit. */
    line: p.integer().nullable(),
    repetition: p.integer(),
    variant: p.enum(Variant.options).default('head'),
    resolvedVariables: p.json<ResolvedVariables>().nullable(),
    /** Of the two contents that make up its work, with the seed and the repetition. */
    settingHash: text(),
    caseContentHash: text(),
    seed: text(),
  },
});

/**
 * A test run that is meant for a runner, or was in the run that its result is taken from. It never changes: whether it waits,
 * runs or is done follows from its chunk and its result.
 */
export class PlannedTestRun extends PlannedTestRunSchema.class {}
PlannedTestRunSchema.setClass(PlannedTestRun);
