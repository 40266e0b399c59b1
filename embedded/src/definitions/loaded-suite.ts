import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';

/**
 * The suite that a suite run of a plan is of. A run gets its definitions read, and must not bring along what reads them:
 * the Action carries that in another bundle.
 */
export function loadedSuite({ suites }: LoadedDefinitions, { suitePath }: PlannedSuiteRun): LoadedSuite {
  const loaded = suites.find(({ path }) => path === suitePath);
  if (loaded === undefined) throw new Error(`The plan has a suite that was not loaded: ${suitePath}`);
  return loaded;
}
