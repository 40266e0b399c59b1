import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { spentUsdOfRun, spentUsdOfSuiteRun } from '../../runs/spent-usd.ts';

export interface Spent {
  id: string;
  /** Null when nothing had a known price. */
  usd: number | null;
}

/** What these suite runs of the tenant have cost so far, in no order. */
export function readSpentOfSuiteRuns(database: Database, tenantId: string, ids: readonly string[]): Promise<Spent[]> {
  return inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<Spent>`
      select s.id, ${sql.raw(spentUsdOfSuiteRun)} as usd from test_suite_runs s where s.id = any(${ids}::uuid[])`.execute(
      em.getKysely(),
    );
    return rows;
  });
}

/** The same of runs. */
export function readSpentOfRuns(database: Database, tenantId: string, ids: readonly string[]): Promise<Spent[]> {
  return inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<Spent>`
      select r.id, ${sql.raw(spentUsdOfRun)} as usd from runs r where r.id = any(${ids}::uuid[])`.execute(
      em.getKysely(),
    );
    return rows;
  });
}
