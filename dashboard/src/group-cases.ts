import type { TestRun } from './answers.ts';

/** A case with its repetitions, as the list shows it. */
export interface CaseGroup {
  name: string;
  /** Passed on the baseline and fails now. */
  isNewlyFailing: boolean;
  /** The state of the case: the worst of its repetitions. */
  status: string;
  testRuns: TestRun[];
}

const worstFirst = ['FAILED', 'ERROR', 'RUNNING', 'QUEUED', 'SKIPPED', 'PASSED'];
const rank = (status: string): number => {
  const place = worstFirst.indexOf(status);
  return place === -1 ? worstFirst.length : place;
};

/** The cases, newly failing ones first, then by state, the worst first; equals stay in the order of the file. */
export function groupCases(testRuns: readonly TestRun[], newlyFailing: readonly string[]): CaseGroup[] {
  const fresh = new Set(newlyFailing);
  const groups = Map.groupBy(testRuns, ({ caseName }) => caseName);
  return [...groups]
    .map(([name, runs]): CaseGroup => {
      const testRunsOfCase = runs.toSorted((a, b) => a.repetition - b.repetition);
      const [worst] = runs.toSorted((a, b) => rank(a.status) - rank(b.status));
      return { name, isNewlyFailing: fresh.has(name), status: worst?.status ?? 'QUEUED', testRuns: testRunsOfCase };
    })
    .toSorted((a, b) => Number(b.isNewlyFailing) - Number(a.isNewlyFailing) || rank(a.status) - rank(b.status));
}
