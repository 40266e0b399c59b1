import type { VerdictWord } from '@proofmark/contracts/gate';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { Verdict } from '@proofmark/contracts/verdict';
import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';

/** One suite with one combination of matrix values and one variant, inside a run. */
export interface SuiteRunView {
  id: string;
  runId: string;
  suiteId: string;
  suiteName: string;
  suitePath: string | null;
  agentId: string;
  agentName: string;
  agentSnapshotId: string | null;
  agentHash: string;
  variant: 'head' | 'baseline' | 'candidate';
  cellKey: string;
  cell: unknown;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  totalCases: number;
  passedCases: number;
  failedCases: number;
  erroredCases: number;
  skippedCases: number;
  resolvedVariables: ResolvedVariables | null;
  failureReason: string | null;
  verdict: VerdictWord | null;
  verdictDetail: Verdict | null;
  baselineSuiteRunId: string | null;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  deadlineAt: string | null;
}

const columns = sql`
  s.id, s.run_id as "runId", s.suite_id as "suiteId", s.suite_name as "suiteName", s.suite_path as "suitePath",
  s.agent_id as "agentId", s.agent_name as "agentName", s.agent_snapshot_id as "agentSnapshotId",
  s.agent_hash as "agentHash", s.variant, s.cell_key as "cellKey", s.cell, s.status,
  s.total_cases as "totalCases", s.passed_cases as "passedCases", s.failed_cases as "failedCases",
  s.errored_cases as "erroredCases", s.skipped_cases as "skippedCases",
  s.resolved_variables as "resolvedVariables", s.failure_reason as "failureReason", s.verdict,
  s.verdict_detail as "verdictDetail", s.baseline_suite_run_id as "baselineSuiteRunId",
  s.created_at as "createdAt", s.started_at as "startedAt", s.completed_at as "completedAt",
  s.deadline_at as "deadlineAt"`;

/** The suite runs with these ids that belong to the tenant, in no order. */
export async function readSuiteRuns(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<SuiteRunView[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } =
      await sql<SuiteRunView>`select ${columns} from test_suite_runs s where s.id = any(${ids}::uuid[])`.execute(
        em.getKysely(),
      );
    return rows;
  });
}

/** The suite runs of these runs, in the order in which they were planned. */
export async function readSuiteRunsOf(
  database: Database,
  tenantId: string,
  runIds: readonly string[],
): Promise<SuiteRunView[]> {
  return await inTenant(database, tenantId, async (em) => {
    const where = sql`where s.run_id = any(${runIds}::uuid[]) order by s.sort_order, s.id`;
    const { rows } = await sql<SuiteRunView>`select ${columns} from test_suite_runs s ${where}`.execute(em.getKysely());
    return rows;
  });
}
