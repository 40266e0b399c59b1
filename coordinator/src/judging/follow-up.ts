import type { EntityManager } from '@mikro-orm/postgresql';
import type { FollowUp } from '@proofmark/domain/judge-cells';
import { freshRepetitions } from '@proofmark/domain/plan-confirmation';
import { sql } from 'kysely';
import type { Sides } from './collect-evidence.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';
import { scheduleRejudging } from './schedule-rejudging.ts';
import { scheduleReruns } from './schedule-rerun.ts';

interface Asked {
  sides: Sides;
  /** The suite run of the base whose answers may be judged again. */
  baselineSuiteRunId: string | null;
}

/** Queues the first of what a verdict asks for that can run. False when none of it can. */
export async function followUp(em: EntityManager, asked: Asked, asks: readonly FollowUp[]): Promise<boolean> {
  for (const ask of asks) if (await queue[ask](em, asked)) return true;
  return false;
}

const queue: Readonly<Record<FollowUp, (em: EntityManager, asked: Asked) => Promise<boolean>>> = {
  rejudge: async (em, { sides, baselineSuiteRunId: baseId }) =>
    baseId !== null && (await scheduleRejudging(em, { suiteRun: sides.head, baseId })),
  drift: (em, { sides }) => scheduleDrift(em, sides),
  confirm: (em, { sides }) => scheduleConfirmation(em, sides),
};

/** Runs all cases of both sides again, on trials that count for nothing else. False when there is no other side to run. */
export async function scheduleConfirmation(em: EntityManager, { head, beside, all }: Sides): Promise<boolean> {
  if (beside === null || all.some(({ purpose }) => purpose === 'confirm')) return false;
  const [last, planned] = [await lastRepetition(em, all), await lastRepetition(em, [head])];
  const repetitions = freshRepetitions({ last, planned });
  return await scheduleReruns(
    em,
    [beside, head].map((of) => ({ of, purpose: 'confirm', repetitions })),
  );
}

/** A base that drifted from its history runs as often as the head. */
async function scheduleDrift(em: EntityManager, { head, beside, drift }: Sides): Promise<boolean> {
  if (beside === null || drift !== null) return false;
  const [done, wanted] = [await lastRepetition(em, [beside]), await lastRepetition(em, [head])];
  const repetitions = Array.from({ length: Math.max(0, wanted - done) }, (_, index) => done + 1 + index);
  return await scheduleReruns(em, [{ of: beside, purpose: 'drift', repetitions }]);
}

async function lastRepetition(em: EntityManager, suiteRuns: readonly SuiteRunToJudge[]): Promise<number> {
  const ids = suiteRuns.map(({ id }) => id);
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(repetition), 0)::int as last from test_case_results
    where tenant_id = ${suiteRuns[0]?.tenantId ?? null} and run_id = any(${ids}::uuid[])`.execute(em.getKysely());
  return rows[0]?.last ?? 0;
}
