import type { Fleet } from './cut-chunks.ts';

/** So many test runs for the runners of a pool, each of which may take so long. */
export interface Load {
  pool: string;
  testRuns: number;
  caseTimeoutMs: number;
}

/**
 * How long a run may take before what is open of it becomes an error: as long as the slowest of its fleets needs when every
 * test run takes all the time that it may, and never less than `leastMs`.
 */
export function runDeadlineMs(load: readonly Load[], fleetOf: (pool: string) => Fleet, leastMs: number): number {
  const totals = new Map<string, number>();
  for (const { pool, testRuns, caseTimeoutMs } of load)
    totals.set(pool, (totals.get(pool) ?? 0) + testRuns * caseTimeoutMs);
  const needed = [...totals].map(([pool, total]) => {
    const { runners, slots } = fleetOf(pool);
    return Math.ceil(total / (runners * slots));
  });
  return Math.max(leastMs, ...needed);
}
