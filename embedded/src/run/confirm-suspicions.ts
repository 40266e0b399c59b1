import type { Trial } from '@proofmark/domain/decide-verdict';
import { planConfirmation } from '@proofmark/domain/plan-confirmation';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sumKnown } from '@proofmark/domain/totals';
import { type TestRunRow, trialsOfRows } from '../results/test-run-row.ts';

/** A cell under suspicion: the positions of its sides in the plan. */
export interface Suspicion {
  head: number;
  base: number;
}

/** The trials of a rerun alone, by the position of the head. */
export type FreshTrials = ReadonlyMap<number, { head: readonly Trial[]; base: readonly Trial[] }>;

export interface ConfirmedSuspicions {
  fresh: FreshTrials;
  /** What the rerun cost, by the position of each side; null when nothing had a known price. */
  costsUsd: ReadonlyMap<number, number | null>;
}

export interface Confirming {
  suiteRuns: readonly PlannedSuiteRun[];
  suspicions: readonly Suspicion[];
  runSeed: string;
  /** Runs further suite runs and returns their rows in the same order. */
  run: (suiteRuns: readonly PlannedSuiteRun[]) => Promise<readonly (readonly TestRunRow[])[]>;
}

/** Runs all cases of each suspected cell again, both sides side by side. Nothing of the first look is among the results. */
export async function confirmSuspicions({
  suiteRuns,
  suspicions,
  runSeed,
  run,
}: Confirming): Promise<ConfirmedSuspicions> {
  const reruns = suspicions.flatMap((suspicion) => {
    const { head, base } = suspicion;
    const [ofHead, ofBase] = [suiteRuns[head], suiteRuns[base]];
    if (ofHead === undefined || ofBase === undefined) return [];
    const rounds = ofHead.testRuns.reduce((most, { repetition }) => Math.max(most, repetition), 1);
    const again = (side: PlannedSuiteRun, partner: PlannedSuiteRun) =>
      planConfirmation(side, { rounds, runSeed, partner });
    return [{ suspicion, sides: [again(ofBase, ofHead), again(ofHead, ofBase)] }];
  });
  const rows = await run(reruns.flatMap(({ sides }) => sides));
  const fresh: FreshTrials = new Map(
    reruns.map(({ suspicion, sides }, index) => {
      const [base, head] = sides.map((side, at) => trialsOfRows(side, rows[2 * index + at] ?? []));
      return [suspicion.head, { head: head ?? [], base: base ?? [] }];
    }),
  );
  const costsUsd = reruns.flatMap(({ suspicion: { base, head } }, index) =>
    [base, head].map((side, at) => [side, costOf(rows[2 * index + at] ?? [])] as const),
  );
  return { fresh, costsUsd: new Map(costsUsd) };
}

const costOf = (rows: readonly TestRunRow[]): number | null => sumKnown(rows.map(({ spentUsd }) => spentUsd));
