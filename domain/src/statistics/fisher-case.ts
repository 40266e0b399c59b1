import { assertCounts, type CaseCounts } from './case-counts.ts';
import { hypergeometric } from './hypergeometric.ts';
import { lowerTail, upperTail } from './probability-mass.ts';

/** Fisher's exact test of one case, one-sided: P(head passes as few or fewer | margins). Fisher 1935. */
export function fisherCase(counts: CaseCounts): number {
  assertCounts(counts);
  const [basePassed, baseScored, headPassed, headScored] = counts;
  const urn = {
    total: baseScored + headScored,
    successes: basePassed + headPassed,
    draws: headScored,
  };
  return lowerTail(hypergeometric(urn), headPassed);
}

/**
 * Fisher's exact test of "head has more", one-sided: P(head count as high or higher | margins).
 * For events such as errored trials, where more is worse.
 */
export function fisherHeadHasMore(events: {
  headCount: number;
  headTotal: number;
  baseCount: number;
  baseTotal: number;
}): number {
  const { headCount, headTotal, baseCount, baseTotal } = events;
  assertCounts([baseCount, baseTotal, headCount, headTotal]);
  const urn = {
    total: baseTotal + headTotal,
    successes: baseCount + headCount,
    draws: headTotal,
  };
  return upperTail(hypergeometric(urn), headCount);
}
