import { bestEndForHead, type UnfinishedCase } from '../statistics/curtailment.ts';
import { type GateInput, runGate } from './gate.ts';
import { gateDefaults } from './ladder.ts';

/** A comparison that is still running; `cases` are all planned ones that exist on both sides. */
export type UnfinishedComparison = Omit<GateInput, 'cases' | 'planned'> & {
  readonly cases: readonly UnfinishedCase[];
};

/**
 * True when the run will end as `regressed` whatever the outstanding trials bring, so it may stop now.
 * Never true while coverage could still turn out insufficient.
 */
export function isRegressionCertain({ cases, ...comparison }: UnfinishedComparison): boolean {
  const compared = cases.filter(({ counts: [, base, , head] }) => base > 0 && head > 0).length;
  const minCoverage = comparison.parameters?.minCoverage ?? gateDefaults.minCoverage;
  if (compared === 0 || compared / cases.length < minCoverage) return false;
  const best = cases.map(bestEndForHead);
  if (best.some(([, base, , head]) => base === 0 || head === 0)) {
    // A case that can never take part would shift the indices of clusters and quarantine.
    return false;
  }
  return runGate({ ...comparison, cases: best }).verdict === 'regressed';
}
