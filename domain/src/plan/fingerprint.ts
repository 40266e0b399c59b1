import { contentHash } from '@proofmark/contracts/content-hash';
import type { PlannedSuiteRun } from './plan-suite-runs.ts';

/**
 * A hash of everything that the results of a suite run depend on; null where that is not fully known: the code of a
 * service or a command stands in no definition, and what an address holds may change. How often a case runs is no part.
 */
export function fingerprintOf(suiteRun: PlannedSuiteRun): string | null {
  const { suiteName, cellKey, agentHash, settingKey, testRuns } = suiteRun;
  const cases = new Map<string, string[]>();
  for (const { work, caseKey, caseHash, instrumentHash } of testRuns) {
    // All repetitions of a case are alike.
    if (work === null || cases.has(caseKey)) continue;
    if (!isFullyKnown(work)) return null;
    cases.set(caseKey, [caseKey, caseHash, instrumentHash]);
  }
  if (cases.size === 0) return null;
  const sorted = [...cases.keys()].sort().map((key) => cases.get(key));
  return contentHash({ suiteName, cellKey, agentHash, settingKey, cases: sorted });
}

function isFullyKnown(work: Work): boolean {
  const { type } = work.agent.driver;
  return (type === 'openai' || type === 'scripted') && hasKnownFiles(work);
}

/** Whether it is known what every file of a case holds: not of one behind an address, nor of one that cannot be read. */
export function hasKnownFiles({ case: { files }, contents = [] }: Pick<Work, 'case' | 'contents'>): boolean {
  return files.every(({ path }) => path !== undefined && contents.some((content) => content.path === path));
}

type Work = NonNullable<PlannedSuiteRun['testRuns'][number]['work']>;
