import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CaseLimits } from '@proofmark/contracts/case-work';
import type { VerdictSettings } from '@proofmark/contracts/verdict';
import { calibrationTestRuns, type PlannedCalibration } from '@proofmark/domain/plan-calibrations';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';
import type { SuiteCalibration } from '../database/json-columns.ts';
import { type Columns, names, unnest } from '../database/unnest.ts';
import type { SuiteIds } from '../definitions/store-definitions.ts';
import { storeFacets } from '../ledger/facets.ts';
import type { Fleets } from '../ledger/fleet.ts';
import type { NewTestRun } from '../ledger/new-test-run.ts';
import { queuePlan, type SuiteRunToQueue } from '../ledger/plan-lines.ts';
import { storeQueuePlan } from '../ledger/plan-steps.ts';
import { caseRowsOf } from '../ledger/row-stretches.ts';
import { storeTestRuns } from '../ledger/store-test-runs.ts';
import type { TakenResults } from './find-taken-results.ts';
import type { PreparedPlan } from './prepare-plan.ts';

export interface SuiteRunToStore {
  planned: PlannedSuiteRun;
  stored: SuiteIds;
  settings: VerdictSettings;
  /** Cases that belong together; null when all stand alone. */
  clusters: Record<string, string> | null;
  /** Null: it is executed. */
  taken: TakenResults | null;
  /** The labelled answers of its judge; null: there are none. */
  calibration: SuiteCalibration | null;
  /** Of all that its results depend on; null where that is not fully known. */
  fingerprint: string | null;
  /** Absent: the run is about it. */
  purpose?: 'calibrate';
}

interface Storing {
  tenantId: string;
  runId: string;
  userId: string;
  triggeredBy: string;
  /** Login of who wrote the change; null: nobody said. */
  author: string | null;
  deadlineMs: number;
  suiteRuns: readonly SuiteRunToStore[];
  runSeed: string;
  fleets: Fleets;
  partsOf: PreparedPlan['partsOf'];
}

interface SuiteRunRow extends SuiteRunToStore {
  id: string;
  sortOrder: number;
}

const columns: Columns<SuiteRunRow> = {
  id: { type: 'uuid', of: ({ id }) => id },
  suite_id: { type: 'uuid', of: ({ stored }) => stored.suiteId },
  total_cases: { type: 'int4', of: ({ planned }) => planned.testRuns.length },
  suite_name: { type: 'text', of: ({ planned }) => planned.suiteName },
  suite_path: { type: 'text', of: ({ planned }) => planned.suitePath },
  agent_id: { type: 'uuid', of: ({ stored }) => stored.agentId },
  agent_name: { type: 'text', of: ({ planned }) => planned.agentName },
  // The base's agent is kept in its own run; what a baseline used stands in the work of each of its test runs.
  agent_snapshot_id: {
    type: 'uuid',
    of: ({ planned, stored }) => (planned.variant === 'baseline' ? null : stored.agentSnapshotId),
  },
  agent_hash: { type: 'text', of: ({ planned }) => planned.agentHash },
  setting_key: { type: 'text', of: ({ planned }) => planned.settingKey },
  pool: { type: 'text', of: ({ planned }) => planned.pool },
  variant: { type: 'text', of: ({ planned }) => planned.variant },
  purpose: { type: 'text', of: ({ purpose = 'first' }) => purpose },
  cell_key: { type: 'text', of: ({ planned }) => planned.cellKey },
  cell: { type: 'jsonb', of: ({ planned }) => planned.cell },
  resolved_variables: { type: 'jsonb', of: ({ planned }) => planned.resolvedVariables },
  settings: { type: 'jsonb', of: ({ settings }) => settings },
  clusters: { type: 'jsonb', of: ({ clusters }) => clusters },
  case_rows: {
    type: 'jsonb',
    of: ({ planned, stored, purpose }) =>
      purpose === undefined ? caseRowsOf(planned.testRuns, stored.casePositions) : null,
  },
  calibration: {
    type: 'jsonb',
    of: ({ planned, calibration }) => (planned.variant === 'baseline' ? null : calibration),
  },
  fingerprint: { type: 'text', of: ({ fingerprint }) => fingerprint },
  taken_from: { type: 'jsonb', of: ({ taken }) => taken?.from },
  early: { type: 'jsonb', of: ({ taken }) => taken?.early },
  open_round: { type: 'int4', of: openRound },
  sort_order: { type: 'int4', of: ({ sortOrder }) => sortOrder },
};

/** A comparison that may stop at any round begins with the first; what nobody compares has no reason to wait. */
function openRound({ planned, settings, purpose }: SuiteRunRow): number | null {
  return purpose === undefined && planned.variant !== 'head' && settings.gate.stop === 'sequential' ? 1 : null;
}

interface Measuring {
  suiteRuns: readonly SuiteRunToStore[];
  limits: CaseLimits;
}

/** A suite run beside the first one of its suite, in which runners judge the labelled answers. */
export function measuringRun(planned: PlannedCalibration, { suiteRuns, limits }: Measuring): SuiteRunToStore {
  const { path } = planned.loaded;
  const first = suiteRuns.find((one) => one.planned.suitePath === path && one.planned.variant !== 'baseline');
  if (first === undefined) throw new Error(`${path} has labelled answers and no suite run`);
  const testRuns = calibrationTestRuns(planned, limits);
  return {
    ...first,
    clusters: null,
    taken: null,
    fingerprint: null,
    purpose: 'calibrate',
    planned: { ...first.planned, testRuns },
  };
}

/** Stores the suite runs of a run with all their test runs, in the order of the plan. */
export async function storeSuiteRuns(em: EntityManager, storing: Storing): Promise<void> {
  const { tenantId, runId, userId, triggeredBy, deadlineMs } = storing;
  const rows = storing.suiteRuns.map((suiteRun, sortOrder) => ({ ...suiteRun, id: randomUUID(), sortOrder }));
  await sql`
    insert into test_suite_runs (tenant_id, run_id, triggered_by, triggered_by_user_id, deadline_at, ${names(columns)})
    select ${tenantId}::uuid, ${runId}::uuid, ${triggeredBy}::text,
      ${triggeredBy === 'schedule' ? null : userId}::uuid, now() + ${deadlineMs} * interval '1 millisecond', s.*
    from ${unnest(rows, columns, 's')}`.execute(em.getKysely());
  await storeFacets(
    em,
    storing,
    rows.filter(({ purpose }) => purpose === undefined),
  );
  const hasPairs = rows.some(({ planned }) => planned.variant === 'baseline');
  const apart = rows.flatMap((row) => testRunsApart(row));
  await storeTestRuns(em, { tenantId, runId, testRuns: apart, fleets: storing.fleets });
  const executed = rows.filter(({ purpose, taken }) => purpose === undefined && taken === null);
  const plan = queuePlan(
    executed.map((row) => suiteRunToQueue(row, hasPairs)),
    storing.partsOf,
  );
  await storeQueuePlan(em, { tenantId, runId, runSeed: storing.runSeed, plan, fleets: storing.fleets });
}

const caseOf = ({ stored }: SuiteRunRow, name: string): { testCaseId: string; line: number | null } => {
  const testCaseId = stored.caseIds.get(name);
  if (testCaseId === undefined) throw new Error(`the case ${name} was planned but not stored`);
  return { testCaseId, line: stored.casePositions.get(name)?.line ?? null };
};

const suiteRunToQueue = (row: SuiteRunRow, hasPairs: boolean): SuiteRunToQueue => ({
  ...{ suiteRunId: row.id, variant: row.planned.variant, planned: row.planned },
  pairKeyOf: hasPairs ? (sortOrder) => `${row.stored.suiteId} ${row.planned.cellKey} ${sortOrder}` : null,
  caseOf: (name) => caseOf(row, name),
});

/** The test runs that are decided already, or taken over, or judge labelled answers. */
function testRunsApart(row: SuiteRunRow): NewTestRun[] {
  if (row.purpose === 'calibrate') return labelsOf(row);
  const { id, planned, taken } = row;
  return planned.testRuns.flatMap((testRun) => {
    if (taken === null && testRun.decided === null) return [];
    const { variant } = planned;
    const of = { id: randomUUID(), suiteRunId: id, variant, ...caseOf(row, testRun.caseName), pairKey: null, testRun };
    return [taken === null || testRun.decided !== null ? of : takenOver(of, taken)];
  });
}

function takenOver(of: NewTestRun, taken: TakenResults): NewTestRun {
  const result = taken.resultOf(of.testRun);
  if (result !== null) return { ...of, taken: result };
  return { ...of, testRun: { ...of.testRun, work: null, decided: { status: 'skipped', reason: 'early_stop' } } };
}

/** Labelled answers are no cases. A row has to name one, and any of the suite will do: nobody looks for these by their case. */
function labelsOf({ id, planned, stored }: SuiteRunRow): NewTestRun[] {
  const [testCaseId] = stored.caseIds.values();
  if (testCaseId === undefined) throw new Error(`${planned.suitePath} has a judge and no case`);
  const common = { suiteRunId: id, variant: planned.variant, testCaseId, line: null, pairKey: null };
  return planned.testRuns.map((testRun) => ({ ...common, id: randomUUID(), testRun }));
}
