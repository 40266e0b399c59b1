import type { Drift } from '@proofmark/contracts/verdict';
import { exactStratified } from '../statistics/exact-tests.ts';
import { countTrials, type Trial } from './count-trials.ts';

/** Below this two-sided chance the world counts as moved (docs/statistics.md#what-is-compared-with-what). */
const driftLevel = 0.01;

/** The base's trials of one case: earlier ones, and those that ran beside the head. */
export interface BaseSides {
  history: readonly Trial[];
  concurrent: readonly Trial[];
}

/**
 * What happened to the base between its history and now, although its agent is the same: a provider that changed a
 * model, for instance. Null when the two agree or no case has both.
 */
export function findDrift(cases: readonly BaseSides[]): Drift | null {
  const both = cases
    .map(({ history, concurrent }) => [countTrials(history), countTrials(concurrent)] as const)
    .map(([then, now]) => [then.passed, then.passed + then.failed, now.passed, now.passed + now.failed] as const)
    .filter(([, earlier, , fresh]) => earlier > 0 && fresh > 0);
  if (both.length === 0) return null;
  const { midp } = exactStratified(both);
  return 2 * Math.min(midp, 1 - midp) < driftLevel ? { midp, cases: both.length } : null;
}
