import type { EntityManager } from '@mikro-orm/postgresql';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { trialsOf } from './collect-trials.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/**
 * The trials of the completed run of the suite before this one: what the alert rule looks at where neither a commit nor a
 * pull request says what to compare with. Cancelled and failed runs are passed over, and so are pull requests. Those of the
 * base when there is none, or when the suite run is of the base branch or a proposal.
 */
export async function previousTrials(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  base: Trial[] | null,
): Promise<Trial[] | null> {
  const { tenantId, runId, suiteId, cellKey, createdAt, variant, isBase, pullRequest, baselineMode } = suiteRun;
  if (variant !== 'head' || isBase || pullRequest !== null || baselineMode === 'none') return base;
  const { rows } = await sql<{ id: string }>`
    select s.id from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant = 'head'
      and s.purpose = 'first' and s.status = 'completed' and s.run_id <> ${runId} and r.pull_request is null
      and s.created_at < ${createdAt}::timestamptz
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return rows[0] === undefined ? base : await trialsOf(em, tenantId, rows[0].id);
}
