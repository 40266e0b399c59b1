import type { VerdictWord } from '@proofmark/contracts/gate';
import { type RawBuilder, sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { spentUsdOfSuiteRun } from '../../runs/spent-usd.ts';
import type { Counters } from '../counters.ts';

/** One ended suite run as a point of a curve. */
export interface PassRatePoint extends Counters {
  suiteRunId: string;
  cellKey: string;
  runId: string;
  headSha: string | null;
  agentHash: string;
  isBase: boolean;
  verdict: VerdictWord | null;
  costUsd: number | null;
  completedAt: string;
}

export interface PassRateQuestion {
  tenantId: string;
  suiteId: string;
  /** Null: all combinations of matrix values. */
  cellKey: string | null;
  onlyBase: boolean;
  size: number;
}

/** The newest ended suite runs of a suite, newest first. */
export function passRatesQuery(question: Omit<PassRateQuestion, 'tenantId'>): RawBuilder<PassRatePoint> {
  const { suiteId, cellKey, onlyBase, size } = question;
  const ofCell = cellKey === null ? sql`true` : sql`s.cell_key = ${cellKey}`;
  return sql<PassRatePoint>`
    select s.id as "suiteRunId", s.cell_key as "cellKey", s.run_id as "runId", r.head_sha as "headSha", s.agent_hash as "agentHash",
      r.is_base as "isBase", s.verdict, s.total_cases as "totalCases", s.passed_cases as "passedCases",
      s.failed_cases as "failedCases", s.skipped_cases as "skippedCases", s.completed_at as "completedAt",
      ${sql.raw(spentUsdOfSuiteRun)} as "costUsd"
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.suite_id = ${suiteId} and ${ofCell} and s.status in ('completed', 'failed')
      and s.variant <> 'baseline' and s.purpose = 'first' and (r.is_base or ${!onlyBase}::boolean)
    order by s.created_at desc, s.id limit ${size}`;
}

/** The same oldest first, as a curve is drawn. */
export async function readPassRates(database: Database, question: PassRateQuestion): Promise<PassRatePoint[]> {
  return await inTenant(database, question.tenantId, async (em) => {
    const { rows } = await passRatesQuery(question).execute(em.getKysely());
    return rows.toReversed();
  });
}
