/** Passes and scored trials of one case on both arms. */
export type CaseCounts = readonly [basePassed: number, baseScored: number, headPassed: number, headScored: number];

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;

/** Returns nothing for sound counts; throws when they cannot be counts, which is a bug of the caller. */
export function assertCounts(counts: CaseCounts): void {
  const [basePassed, baseScored, headPassed, headScored] = counts;
  const sound = counts.every(isCount) && basePassed <= baseScored && headPassed <= headScored;
  if (!sound) {
    throw new RangeError(`Counts must be whole numbers with 0 <= passed <= scored, got [${counts.join(', ')}].`);
  }
}

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
