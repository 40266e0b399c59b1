import { type AskedSide, type FreshTrials, freshWork, planConfirmation } from '@proofmark/domain/plan-fresh-trials';
import type { PlannedTestRun } from '@proofmark/domain/plan-run';
import {
  type ExecutedSuiteRun,
  type FurtherSuiteRun,
  type JudgedHead,
  type RunApart,
  runFurther,
} from './judge-run.ts';

export interface Confirming {
  suspected: readonly Pick<JudgedHead, 'sides'>[];
  runSeed: string;
  run: RunApart;
}

/** Runs the cases of each suspected cell again, both sides side by side. Nothing of the first look is among the results. */
export async function confirmSuspicions({ suspected, runSeed, run }: Confirming): Promise<ExecutedSuiteRun[]> {
  const further = suspected.flatMap(({ sides: { head, beside, all } }): FurtherSuiteRun[] => {
    if (beside === null) return [];
    const last = all.reduce((most, { planned }) => Math.max(most, lastRepetition(planned.testRuns)), 0);
    const fresh = planConfirmation({ head: asked(head), base: asked(beside), last });
    const again = (of: ExecutedSuiteRun, trials: FreshTrials<ToRun>): FurtherSuiteRun => {
      const planned = { ...of.planned, testRuns: testRunsOf(trials, runSeed) };
      return { of, purpose: 'confirm', planned };
    };
    return fresh === null ? [] : [again(beside, fresh.base), again(head, fresh.head)];
  });
  return await runFurther(further, run);
}

type ToRun = PlannedTestRun & { work: NonNullable<PlannedTestRun['work']> };

const isToRun = (testRun: PlannedTestRun): testRun is ToRun => testRun.work !== null;

const lastRepetition = (testRuns: readonly PlannedTestRun[]): number =>
  testRuns.reduce((most, { repetition }) => Math.max(most, repetition), 0);

const asked = ({ planned: { testRuns } }: ExecutedSuiteRun): AskedSide<ToRun> => ({
  cases: testRuns.filter(({ repetition }) => repetition === 1).filter(isToRun),
  repetitions: lastRepetition(testRuns),
});

const testRunsOf = ({ cases, repetitions }: FreshTrials<ToRun>, runSeed: string): PlannedTestRun[] =>
  repetitions.flatMap((repetition) =>
    cases.map((one) => ({
      ...one,
      repetition,
      work: freshWork(one.work, { runSeed, caseKey: one.caseKey, repetition }),
    })),
  );
