import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, partOf, tenantOfWhole } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const AttemptUsageSchema = defineEntity({
  name: 'AttemptUsage',
  tableName: 'attempt_usage',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [indexOn('attempt_usage_suite_run_idx', 'attempt_usage', ['suite_run_id'])],
  properties: {
    tenantId: tenantOfWhole,
    testRunId: p.uuid().primary(),
    attempt: p.integer().primary(),
    sessionId: p.uuid().primary(),
    suiteRun: () => partOf(TestSuiteRun, 'suite_run_id'),
    promptTokens: p.integer().nullable(),
    completionTokens: p.integer().nullable(),
    /** Judges and simulated users included. */
    costUsd: p.double().nullable(),
    createdAt: createdAt(),
  },
});

/** What an attempt spent whose result came too late and counts nowhere; of one that counts it stands in its result. */
export class AttemptUsage extends AttemptUsageSchema.class {}
AttemptUsageSchema.setClass(AttemptUsage);
