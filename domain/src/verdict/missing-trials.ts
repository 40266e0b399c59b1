import type { CaseComparison, TrialCounts, VerdictSettings } from '@proofmark/contracts/verdict';
import { fisherHeadHasMore } from '../statistics/exact-tests.ts';
import { groupByCase, type Trial } from './count-trials.ts';
import { runGate } from './gate.ts';
import { gateParameters } from './gate-settings.ts';
import { isNothingToRate } from './unmeasured-metrics.ts';

/** Chance below which a difference in missing test runs is not put down to luck. */
const imbalanceLevel = 0.05;

export function sumCounts(counts: readonly (TrialCounts | null)[]): TrialCounts {
  const sum: TrialCounts = { planned: 0, passed: 0, failed: 0, errored: 0, invalid: 0 };
  for (const one of counts) {
    if (one === null) continue;
    sum.planned += one.planned;
    sum.passed += one.passed;
    sum.failed += one.failed;
    sum.errored += one.errored;
    sum.invalid += one.invalid;
  }
  return sum;
}

/**
 * Both sides' counts when the head fails to answer more often than chance explains and, with its silence counted as
 * failure, it regressed; null otherwise. A head that crashes must not win by leaving no failures behind.
 */
export function errorsRegressed(
  cases: readonly CaseComparison[],
  settings: VerdictSettings,
): { head: TrialCounts; base: TrialCounts } | null {
  const both = cases.flatMap(({ base, head }) =>
    base !== null && head !== null && base.planned > 0 && head.planned > 0 ? [{ base, head }] : [],
  );
  const head = sumCounts(both.map((one) => one.head));
  const base = sumCounts(both.map((one) => one.base));
  if (head.errored === 0 || moreMissing(head, base, (counts) => counts.errored) > imbalanceLevel) return null;
  const worstCase = both
    .map((one) => ({ ...one, trials: one.head.passed + one.head.failed + one.head.errored }))
    .filter((one) => one.trials > 0 && one.base.passed + one.base.failed > 0)
    .map((one) => [one.base.passed, one.base.passed + one.base.failed, one.head.passed, one.trials] as const);
  const gate = runGate({ cases: worstCase, ...gateParameters(settings) });
  return gate.verdict === 'regressed' ? { head, base } : null;
}

/** Whether more head test runs are missing, for whatever reason, than chance explains. */
export function missingImbalance(compared: readonly CaseComparison[]): boolean {
  const head = sumCounts(compared.map((one) => one.head));
  const base = sumCounts(compared.map((one) => one.base));
  if (head.errored + head.invalid === 0) return false;
  return moreMissing(head, base, (counts) => counts.errored + counts.invalid) <= imbalanceLevel;
}

/**
 * Pass rate in percent, mean over cases, as if everything that was not measured had failed: what has no result, whoever is to
 * blame, and what passed although one of its metrics gave no measure. Null when nothing was to be run.
 */
export function worstCaseRate(trials: readonly Trial[]): number | null {
  const rates = [...groupByCase(trials.filter(({ status }) => status !== 'skipped')).values()].map(
    (ofCase) => ofCase.filter(isSurelyPassed).length / ofCase.length,
  );
  return rates.length === 0 ? null : (rates.reduce((sum, rate) => sum + rate, 0) / rates.length) * 100;
}

const isSurelyPassed = ({ status, metrics }: Trial): boolean =>
  status === 'passed' && !(metrics ?? []).some(({ error }) => error !== null && !isNothingToRate(error));

/** One-sided Fisher test on pooled totals: the chance that the head misses at least as many as it does. */
function moreMissing(head: TrialCounts, base: TrialCounts, missing: (counts: TrialCounts) => number): number {
  if (base.planned === 0 || head.planned === 0) return 1;
  return fisherHeadHasMore({
    headCount: missing(head),
    headTotal: head.planned,
    baseCount: missing(base),
    baseTotal: base.planned,
  });
}
