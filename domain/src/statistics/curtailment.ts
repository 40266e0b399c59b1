import type { CaseCounts } from './case-counts.ts';

/** Counts of a case whose trials are not all in. */
export type UnfinishedCase = {
  readonly counts: CaseCounts;
  readonly outstandingBase: number;
  readonly outstandingHead: number;
};

/** The counts if every outstanding head trial passes and every outstanding base trial fails: the best end head can still reach. Curtailment: Alling 1963. */
export function bestEndForHead({
  counts: [basePassed, baseScored, headPassed, headScored],
  outstandingBase,
  outstandingHead,
}: UnfinishedCase): CaseCounts {
  return [basePassed, baseScored + outstandingBase, headPassed + outstandingHead, headScored + outstandingHead];
}
