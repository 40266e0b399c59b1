import { contentHash } from '@proofmark/contracts/content-hash';
import type { PlannedSuiteRun } from './plan-suite-runs.ts';

/**
 * A hash of everything that the results of a suite run depend on; null where that is not fully known: the code of a
 * service or a command stands in no definition, and what an address holds may change. How often a case runs is no part.
 */
export function fingerprintOf(suiteRun: PlannedSuiteRun): string | null {
  const { suiteName, cellKey, agentHash, settingKey, testRuns } = suiteRun;
  const executed = testRuns.flatMap(({ work, ...rest }) => (work === null ? [] : [{ ...rest, work }]));
  if (executed.length === 0 || !executed.every(({ work }) => isFullyKnown(work))) return null;
  const cases = new Map(executed.map((one) => [one.caseKey, [one.caseKey, one.caseHash, one.instrumentHash]]));
  const sorted = [...cases].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, hashes]) => hashes);
  return contentHash({ suiteName, cellKey, agentHash, settingKey, cases: sorted });
}

function isFullyKnown(work: Work): boolean {
  const { type } = work.agent.driver;
  return (type === 'openai' || type === 'scripted') && hasKnownFiles(work);
}

/** Whether it is known what every file of a case holds: not of one behind an address, nor of one that cannot be read. */
export function hasKnownFiles({ case: { files }, contents = [] }: Pick<Work, 'case' | 'contents'>): boolean {
  const known = new Set(contents.map(({ path }) => path));
  return files.every(({ path }) => path !== undefined && known.has(path));
}

type Work = NonNullable<PlannedSuiteRun['testRuns'][number]['work']>;
