import { setImmediate as letOthersWork } from 'node:timers/promises';
import { fingerprintOf } from '@proofmark/domain/fingerprint';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { type WorkSplitter, workSplitter } from '../ledger/work-parts.ts';

/** What is stored of a plan, as far as it needs nothing of the ledger. */
export interface PreparedPlan {
  fingerprints: ReadonlyMap<PlannedSuiteRun, string | null>;
  /** Knows the parts of all works, where runners will need them. */
  partsOf: WorkSplitter;
}

/** So many works are cut in a millisecond. */
const worksAtOnce = 200;

/**
 * Prepares what will be stored of these suite runs, a little at a time: Postgres is busy with their definitions meanwhile, and
 * whatever it answers is gone on with in between.
 */
export async function preparePlan(
  suiteRuns: readonly PlannedSuiteRun[],
  { areExecuted }: { areExecuted: boolean },
): Promise<PreparedPlan> {
  const fingerprints = new Map<PlannedSuiteRun, string | null>();
  const partsOf = workSplitter();
  for (const planned of suiteRuns) {
    await letOthersWork();
    fingerprints.set(planned, fingerprintOf(planned));
    if (areExecuted) await cutAll(planned, partsOf);
  }
  return { fingerprints, partsOf };
}

async function cutAll({ testRuns }: PlannedSuiteRun, partsOf: PreparedPlan['partsOf']): Promise<void> {
  for (const [index, { work }] of testRuns.entries()) {
    if (index % worksAtOnce === 0) await letOthersWork();
    if (work !== null) partsOf(work);
  }
}
