import type { EntityManager } from '@mikro-orm/postgresql';
import type { FollowUp } from '@proofmark/domain/judge-cells';
import { planConfirmation, planDrift } from '@proofmark/domain/plan-fresh-trials';
import { lastRepetition, readAskedSide } from './asked-cases.ts';
import type { Sides } from './collect-evidence.ts';
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

/** Runs the cases of both sides again, on trials that count for nothing else. False when there is no other side to run. */
export async function scheduleConfirmation(em: EntityManager, { head, beside, all }: Sides): Promise<boolean> {
  if (beside === null || all.some(({ purpose }) => purpose === 'confirm')) return false;
  const sides = { head: await readAskedSide(em, head), base: await readAskedSide(em, beside) };
  const fresh = planConfirmation({ ...sides, last: await lastRepetition(em, all) });
  if (fresh === null) return false;
  return await scheduleReruns(em, 'confirm', [
    { of: beside, fresh: fresh.base },
    { of: head, fresh: fresh.head },
  ]);
}

async function scheduleDrift(em: EntityManager, { head, beside, drift }: Sides): Promise<boolean> {
  if (beside === null || drift !== null) return false;
  const repetitions = await lastRepetition(em, [head]);
  const fresh = planDrift({ head: { repetitions }, base: await readAskedSide(em, beside) });
  return fresh !== null && (await scheduleReruns(em, 'drift', [{ of: beside, fresh }]));
}
