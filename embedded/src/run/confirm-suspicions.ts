import { planConfirmation } from '@proofmark/domain/plan-confirmation';
import { type ExecutedSuiteRun, type JudgedHead, type RunApart, runFurther } from './judge-run.ts';

export interface Confirming {
  suspected: readonly Pick<JudgedHead, 'sides'>[];
  runSeed: string;
  run: RunApart;
}

/** Runs all cases of each suspected cell again, both sides side by side. Nothing of the first look is among the results. */
export async function confirmSuspicions({ suspected, runSeed, run }: Confirming): Promise<ExecutedSuiteRun[]> {
  const further = suspected.flatMap(({ sides: { head, beside } }) => {
    if (beside === null) return [];
    const rounds = head.planned.testRuns.reduce((most, { repetition }) => Math.max(most, repetition), 1);
    const again = (side: ExecutedSuiteRun, partner: ExecutedSuiteRun) => ({
      of: side,
      purpose: 'confirm' as const,
      planned: planConfirmation(side.planned, { rounds, runSeed, partner: partner.planned }),
    });
    return [again(beside, head), again(head, beside)];
  });
  return await runFurther(further, run);
}
