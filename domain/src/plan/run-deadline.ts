import type { Fleet } from './cut-chunks.ts';

/** So many test runs, each of which may take so long. */
export interface Load {
  testRuns: number;
  caseTimeoutMs: number;
}

/**
 * How long a run may take before what is open of it becomes an error: as long as the fleet needs when every test run takes
 * all the time that it may, and never less than `leastMs`.
 */
export function runDeadlineMs(load: readonly Load[], { runners, slots }: Fleet, leastMs: number): number {
  const total = load.reduce((sum, { testRuns, caseTimeoutMs }) => sum + testRuns * caseTimeoutMs, 0);
  return Math.max(leastMs, Math.ceil(total / (runners * slots)));
}
