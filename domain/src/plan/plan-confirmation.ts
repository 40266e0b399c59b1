import { trialSeed } from '@proofmark/contracts/content-hash';
import type { PlannedSuiteRun } from './plan-run.ts';

/** Fewer fresh trials of a case than this prove nothing. */
const leastRepetitions = 3;

/** As many fresh repetitions as were planned at first, numbered on after the last one, so that no seed comes twice. */
export const freshRepetitions = ({ last, planned }: { last: number; planned: number }): number[] =>
  Array.from({ length: Math.max(leastRepetitions, planned) }, (_, index) => last + index + 1);

/**
 * The same cases once more, all of them, with repetitions that have not been run yet (docs/statistics.md#when-it-is-suspicious-run-everything-again): `rounds`
 * were planned before. Repeating only what failed would manufacture regressions. Cases that were decided without being
 * run stay out, and so do those that the other side, `partner`, does not have.
 */
export function planConfirmation(
  planned: PlannedSuiteRun,
  { rounds, runSeed, partner }: { rounds: number; runSeed: string; partner: PlannedSuiteRun },
): PlannedSuiteRun {
  const shared = new Set(partner.testRuns.filter(({ work }) => work !== null).map(({ caseName }) => caseName));
  const cases = planned.testRuns.filter(
    ({ repetition, work, caseName }) => repetition === 1 && work !== null && shared.has(caseName),
  );
  const testRuns = freshRepetitions({ last: rounds, planned: rounds }).flatMap((repetition) =>
    cases.map((testRun) => ({
      ...testRun,
      repetition,
      work: testRun.work && { ...testRun.work, repetition, seed: trialSeed(runSeed, testRun.caseKey, repetition) },
    })),
  );
  return { ...planned, testRuns };
}
