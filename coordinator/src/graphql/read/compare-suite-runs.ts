import type { Verdict } from '@proofmark/contracts/verdict';
import { VerdictSettings } from '@proofmark/contracts/verdict';
import { decideVerdict } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { trialsOf } from '../../runs/collect-trials.ts';

/** The verdict of any two suite runs, under the settings of the second. Nothing is stored. */
export async function compareSuiteRuns(
  database: Database,
  tenantId: string,
  { baseId, headId }: { baseId: string; headId: string },
): Promise<Verdict> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<{
      settings: unknown;
    }>`select settings from test_suite_runs where id = ${headId}`.execute(em.getKysely());
    return decideVerdict({
      head: await trialsOf(em, tenantId, headId),
      base: await trialsOf(em, tenantId, baseId),
      settings: VerdictSettings.parse(rows[0]?.settings),
    });
  });
}
