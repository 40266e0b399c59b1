import { gateDefaults, type VerdictWord } from '@proofmark/contracts/gate';

/** What the ladder can say about a comparison. */
export type GateVerdict = Exclude<VerdictWord, 'no-baseline' | 'error'>;

/** Rates and differences are fractions. */
export type GateParameters = {
  readonly alpha: number;
  /** Use `p`, which never exceeds its nominal level, where the ladder says `midp`. */
  readonly strict: boolean;
  readonly minEffect: number;
  readonly alertDrop: number;
  readonly fdr: number;
  readonly screen: number;
  readonly minCoverage: number;
};

/** The defaults of a suite's gate as fractions. */
export const ladderDefaults: GateParameters = {
  alpha: gateDefaults.alpha,
  strict: gateDefaults.strict,
  minEffect: gateDefaults.min_effect_percent / 100,
  alertDrop: 0.1,
  fdr: gateDefaults.fdr,
  screen: gateDefaults.screen,
  minCoverage: gateDefaults.min_coverage_percent / 100,
};

/** The part of the figures that decides. */
export type LadderFigures = {
  readonly coverage: number;
  readonly diff: number;
  readonly p: number;
  readonly midp: number;
  readonly midpImprove: number;
  readonly ciLo: number;
  readonly flagged: readonly number[];
};

export type LadderOptions = {
  /** The suite probability for rung 2 when it was adjusted over several cells; rung 3 keeps the plain one. */
  readonly regressionProbability?: number | undefined;
  /** A fresh rerun did not confirm the suspicion: rungs 2 and 3 no longer count. */
  readonly isCleared?: boolean | undefined;
};

const slack = 1e-12;
const atLeast = (value: number, limit: number) => value >= limit - slack;
const atMost = (value: number, limit: number) => value <= limit + slack;

/** The first rung that holds (docs/statistics.md#the-two-questions-behind-red). Thresholds on diff, interval and coverage are inclusive. */
export function climbLadder(
  figures: LadderFigures,
  parameters: GateParameters = ladderDefaults,
  options: LadderOptions = {},
): GateVerdict {
  const { coverage, diff, midpImprove, ciLo } = figures;
  const { alpha, minEffect, alertDrop, minCoverage } = parameters;
  if (!atLeast(coverage, minCoverage)) return 'insufficient';
  const alarm = options.isCleared ? undefined : alarmOf(figures, parameters, options);
  if (alarm) return alarm;
  if (midpImprove <= alpha && atLeast(diff, minEffect)) return 'improved';
  return atLeast(ciLo, -alertDrop) ? 'unchanged' : 'inconclusive';
}

/** Rungs 2 and 3, the bad news. */
function alarmOf(
  figures: LadderFigures,
  { alpha, strict, minEffect, alertDrop, screen }: GateParameters,
  { regressionProbability }: LadderOptions,
): 'regressed' | 'suspected' | undefined {
  const { diff, flagged } = figures;
  const probability = strict ? figures.p : figures.midp;
  const isWorse = atMost(diff, -minEffect);
  const isProven = isWorse && (regressionProbability ?? probability) <= alpha;
  if (isProven || flagged.length > 0) return 'regressed';
  const isLikely = isWorse && probability <= screen;
  return isLikely || atMost(diff, -alertDrop) ? 'suspected' : undefined;
}
