import { defineEntity, p } from '@mikro-orm/core';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { count, partOf, tenantId, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const TestRunLeaseSchema = defineEntity({
  name: 'TestRunLease',
  tableName: 'test_run_leases',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    // Claims and heartbeats name test runs without their tenant.
    { name: 'test_run_leases_test_run_idx', properties: ['testRunId'] },
    indexOn('test_run_leases_suite_run_idx', 'test_run_leases', ['suite_run_id']),
    {
      name: 'test_run_leases_unpublished_idx',
      properties: ['repetition', 'sortOrder', 'testRunId'],
      where: `state = 'queued' and published_at is null`,
    },
    { name: 'test_run_leases_queued_idx', properties: ['runId', 'pairKey'], where: `state = 'queued'` },
    { name: 'test_run_leases_poison_idx', properties: ['crashCount'], where: `state = 'queued' and crash_count >= 3` },
    { name: 'test_run_leases_leased_idx', properties: ['sessionId'], where: `state = 'leased'` },
  ],
  checks: [{ name: 'test_run_leases_holder_check', expression: `state <> 'leased' or session_id is not null` }],
  properties: {
    tenantId,
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
    variant: p.enum(['head', 'baseline', 'candidate']).default('head'),
    /** Equal for the baseline and the candidate of one repetition, which stay together. */
    pairKey: text().nullable(),
    /** Moves to the payload of the result when the test run ends. Not jsonb, which sorts keys: an agent reads them as text. */
    work: p.json<CaseWork>().columnType('json').nullable(),
    /** Of the work, beside it: a claim hands out where the files are, and need not read the whole work for it. */
    contents: p.json<FileContent[]>().nullable(),
    resolvedVariables: p.json<ResolvedVariables>(),
    state: p.enum(['queued', 'leased', 'done', 'closed']).default('queued'),
    /** The fencing token: a result counts only under the attempt that is on record here. */
    attempt: count(),
    sessionId: p.uuid().nullable(),
    /** Of attempts that are over, the latest first, as `attempt:session`. */
    pastHolders: p.array().columnType('text[]').defaultRaw(`'{}'`),
    claimId: p.uuid().nullable(),
    crashCount: count(),
    /** Heartbeats in a row in which the session did not name this test run. */
    missedBeats: count(),
    publishGen: count(),
    /** Null: the publisher has yet to send it. */
    publishedAt: time().nullable(),
  },
});

/** A planned test run: queue, dispatch outbox and fence in one row. */
export class TestRunLease extends TestRunLeaseSchema.class {}
TestRunLeaseSchema.setClass(TestRunLease);
