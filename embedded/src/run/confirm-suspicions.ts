import type { Trial } from '@proofmark/domain/decide-verdict';
import { planConfirmation } from '@proofmark/domain/plan-confirmation';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { type TestRunRow, trialsOf } from './test-run-row.ts';

/** A cell under suspicion: the positions of its sides in the plan. */
export interface Suspicion {
  head: number;
  base: number;
}

/** The trials of a rerun alone, by the position of the head. */
export type FreshTrials = ReadonlyMap<number, { head: readonly Trial[]; base: readonly Trial[] }>;

export interface Confirming {
  suiteRuns: readonly PlannedSuiteRun[];
  suspicions: readonly Suspicion[];
  runSeed: string;
  /** Runs further suite runs and returns their rows in the same order. */
  run: (suiteRuns: readonly PlannedSuiteRun[]) => Promise<readonly (readonly TestRunRow[])[]>;
}

/** Runs all cases of each suspected cell again, both sides side by side. Nothing of the first look is among the results. */
export async function confirmSuspicions({ suiteRuns, suspicions, runSeed, run }: Confirming): Promise<FreshTrials> {
  const reruns = suspicions.flatMap(({ head, base }) => {
    const [ofHead, ofBase] = [suiteRuns[head], suiteRuns[base]];
    if (ofHead === undefined || ofBase === undefined) return [];
    const rounds = ofHead.testRuns.reduce((most, { repetition }) => Math.max(most, repetition), 1);
    const again = (side: PlannedSuiteRun, partner: PlannedSuiteRun) =>
      planConfirmation(side, { rounds, runSeed, partner });
    return [{ position: head, sides: [again(ofBase, ofHead), again(ofHead, ofBase)] }];
  });
  const rows = await run(reruns.flatMap(({ sides }) => sides));
  return new Map(
    reruns.map(({ position, sides }, index) => {
      const [base, head] = sides.map((side, at) => trialsOf(side, rows[2 * index + at] ?? []));
      return [position, { head: head ?? [], base: base ?? [] }];
    }),
  );
}
