import { defineEntity, p } from '@mikro-orm/core';
import { Variant } from '@proofmark/contracts/case-work';
import type { ResolvedVariables, VariableValue } from '@proofmark/contracts/variables';
import type { EarlyStop, Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { RunStatus, RunTrigger, SuiteRunPurpose } from '@proofmark/contracts/words';
import type { CaseReport } from '@proofmark/domain/run-report';
import type { Ending } from '@proofmark/domain/suite-run';
import type { CaseRows, SuiteCalibration, TakenFrom } from '../json-columns.ts';
import { Agent } from './agent.ts';
import { AgentSnapshot } from './agent-snapshot.ts';
import { AgentTestSuite } from './agent-test-suite.ts';
import { count, createdAt, id, mayReferTo, partOf, tenantId, text, time } from './columns.ts';
import { indexOn, uniqueOn } from './index-on.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { User } from './user.ts';

const TestSuiteRunSchema = defineEntity({
  name: 'TestSuiteRun',
  tableName: 'test_suite_runs',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    uniqueOn('test_suite_runs_cell_key', 'test_suite_runs', [
      'run_id',
      'suite_id',
      'cell_key',
      'variant',
      'purpose',
      'tenant_id',
    ]),
    indexOn('test_suite_runs_of_verdict_idx', 'test_suite_runs', ['tenant_id', 'verdict', 'created_at']),
    indexOn('test_suite_runs_of_tenant_idx', 'test_suite_runs', ['tenant_id', 'created_at', 'id']),
    indexOn('test_suite_runs_suite_idx', 'test_suite_runs', ['suite_id']),
    indexOn('test_suite_runs_tenant_idx', 'test_suite_runs', ['tenant_id']),
    { name: 'test_suite_runs_status_idx', properties: ['status'] },
    { name: 'test_suite_runs_created_at_idx', properties: ['createdAt'] },
    { name: 'test_suite_runs_completed_at_idx', properties: ['completedAt'] },
    indexOn('test_suite_runs_history_idx', 'test_suite_runs', ['suite_id', 'cell_key', 'created_at']),
    indexOn('test_suite_runs_curve_idx', 'test_suite_runs', ['suite_id', 'created_at']),
    indexOn(
      'test_suite_runs_fingerprint_idx',
      'test_suite_runs',
      ['fingerprint', 'created_at'],
      'fingerprint is not null and taken_from is null',
    ),
    indexOn('test_suite_runs_agent_idx', 'test_suite_runs', ['agent_id']),
    indexOn('test_suite_runs_agent_snapshot_idx', 'test_suite_runs', ['agent_snapshot_id']),
    indexOn(
      'test_suite_runs_baseline_idx',
      'test_suite_runs',
      ['baseline_suite_run_id'],
      'baseline_suite_run_id is not null',
    ),
    indexOn('test_suite_runs_unwritten_idx', 'test_suite_runs', ['run_id'], 'unwritten_cases > 0'),
    { name: 'test_suite_runs_deadline_idx', properties: ['deadlineAt'], where: `status in ('pending', 'running')` },
  ],
  checks: [
    {
      name: 'test_suite_runs_counters_check',
      expression:
        'passed_cases >= 0 and failed_cases >= 0 and skipped_cases >= 0 and errored_cases <= failed_cases and passed_cases + failed_cases + skipped_cases <= total_cases',
    },
  ],
  properties: {
    tenantId,
    id: id(),
    suite: () => partOf(AgentTestSuite, 'suite_id'),
    run: () => partOf(Run, 'run_id'),
    status: p.enum(RunStatus.options).default('pending'),
    triggeredBy: p.enum(RunTrigger.options),
    triggeredByUser: () => mayReferTo(User, 'triggered_by_user_id'),
    totalCases: count(),
    passedCases: count(),
    /** Failed and errored rows (C08). */
    failedCases: count(),
    skippedCases: count(),
    /** How many of the failed ones are errors. */
    erroredCases: count(),
    startedAt: time().nullable(),
    completedAt: time().nullable(),
    errorMessage: text().nullable(),
    failureReason: text().nullable(),
    deadlineAt: time(),
    suiteName: text(),
    suitePath: text().nullable(),
    agent: () => partOf(Agent, 'agent_id'),
    agentName: text(),
    agentSnapshot: () => mayReferTo(AgentSnapshot, 'agent_snapshot_id'),
    agentHash: text(),
    settingKey: text(),
    /** Of everything that its results depend on; null where that is not fully known. */
    fingerprint: text().nullable(),
    /** The suite run whose results it took over instead of asking models again, or whose answers it judges again. */
    takenFrom: p.json<TakenFrom>().nullable(),
    variant: p.enum(Variant.options).default('head'),
    /**
     * `confirm` and `drift` ask again what a first look left open; `rejudge` judges again what the base once
     * said. `calibrate` judges what people have labelled: its test runs are no cases, and it is in no list and no total.
     */
    purpose: p.enum(SuiteRunPurpose.options).default('first'),
    /** The runners that execute it. */
    pool: text().default('default'),
    cellKey: text(),
    cell: p.json<Record<string, VariableValue>>(),
    resolvedVariables: p.json<ResolvedVariables>().nullable(),
    /** Gate and alert rule as they were when the run began: a pull request cannot loosen its own. */
    settings: p.json<VerdictSettings>(),
    /** Cases that belong together by the suite's `cluster_by`: name of the case to name of the cluster. */
    clusters: p.json<Record<string, string>>().nullable(),
    /** The rows of files that its cases were made of; null where there are none. */
    caseRows: p.json<CaseRows>().nullable(),
    /** The labelled answers that its judge is held against; null where there are none. */
    calibration: p.json<SuiteCalibration>().nullable(),
    /** Why it ended before all rounds were done. */
    early: p.json<EarlyStop>().nullable(),
    /** The last complete round after which somebody asked whether it may stop. */
    lookedRound: count(),
    /** Later rounds wait until this one is complete; null where rounds do not wait. */
    openRound: p.integer().nullable(),
    /** How what was open ends, once somebody has decided that it does; null: it goes on. */
    ending: p.json<Ending>().nullable(),
    /** Counted as ended, and their rows are still to be written. */
    unwrittenCases: count(),
    /** Of all attempts that this one's runners really held, judges and simulated users included; null while no price is known. */
    spentUsd: p.double().nullable(),
    spentTokens: p.bigint('number').defaultRaw('0'),
    verdict: text().nullable(),
    verdictDetail: p.json<Verdict>().nullable(),
    /** The cases that comment, checks and annotations name, as they are told; chosen once, with the verdict. */
    shownCases: p.json<CaseReport[]>().nullable(),
    /** The suite run that this one was compared with. Not a foreign key: retention may remove it. */
    baselineSuiteRunId: p.uuid().nullable(),
    sortOrder: count(),
    createdAt: createdAt(),
  },
});

/** One suite in one matrix cell and one variant inside a run. Its counters change only in the transactions of the ledger. */
export class TestSuiteRun extends TestSuiteRunSchema.class {}
TestSuiteRunSchema.setClass(TestSuiteRun);
