import type { RunStatus } from '@proofmark/contracts/words';
/** A suite run as retention sees it. */
export type RetainedRun = {
  readonly id: string;
  readonly suiteId: string;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  readonly status: RunStatus;
};

export type RetentionRule = {
  readonly nowMs: number;
  /** Runs that ended within this many days stay. */
  readonly keepDays?: number | undefined;
  /** This many newest runs of every suite stay, however old they are. */
  readonly keepRuns?: number | undefined;
};

const dayMs = 24 * 3_600_000;

function newestIds(runs: readonly RetainedRun[], count: number): Set<string> {
  const newest = new Set<string>();
  for (const ofSuite of Map.groupBy(runs, (run) => run.suiteId).values()) {
    const byAge = ofSuite.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
    for (const run of byAge.slice(0, count)) newest.add(run.id);
  }
  return newest;
}

const isActive = ({ status }: RetainedRun) => status === 'pending' || status === 'running';

/**
 * Ids of the runs to delete, in input order: neither recent, nor among the newest of their suite, nor active.
 * Age counts from completion when known. Throws for a rule that is no count, which would delete everything.
 */
export function runsToDelete(
  runs: readonly RetainedRun[],
  { nowMs, keepDays = 30, keepRuns = 30 }: RetentionRule,
): string[] {
  if (!(keepDays >= 0 && keepRuns >= 0)) {
    throw new RangeError(`Retention needs counts, got ${keepDays} days and ${keepRuns} runs.`);
  }
  const cutoffMs = nowMs - keepDays * dayMs;
  const newest = newestIds(runs, keepRuns);
  return runs
    .filter((run) => {
      const isOld = (run.completedAtMs ?? run.createdAtMs) < cutoffMs;
      return isOld && !newest.has(run.id) && !isActive(run);
    })
    .map((run) => run.id);
}
