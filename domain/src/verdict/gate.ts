import type { CaseCounts } from '../statistics/case-counts.ts';
import { benjaminiHochberg, exactStratified, fisherCase } from '../statistics/exact-tests.ts';
import { caseDifferences, differenceInterval, type IntervalMethod } from '../statistics/intervals.ts';
import { climbLadder, type GateParameters, type GateVerdict, type LadderOptions, ladderDefaults } from './ladder.ts';

export type GateInput = {
  /** Cases with at least one scored trial on both arms. */
  readonly cases: readonly CaseCounts[];
  /** The cluster of each case, in the order of `cases`. */
  readonly clusters?: readonly string[] | undefined;
  /** Indices of flaky cases, which are counted but never flagged alone. */
  readonly quarantined?: readonly number[] | undefined;
  /** Selected cases that exist on the base branch; without it every planned case took part. */
  readonly planned?: number | undefined;
  readonly parameters?: Partial<GateParameters> | undefined;
};

/** What the gate measures; rates and differences are fractions. */
export type GateMeasurement = {
  readonly basePassRate: number;
  readonly headPassRate: number;
  readonly diff: number;
  readonly p: number;
  readonly midp: number;
  readonly midpImprove: number;
  readonly ciMethod: IntervalMethod;
  readonly ciLo: number;
  readonly ciHi: number;
  /** Fisher's p-value of every case, in input order. */
  readonly casePValues: readonly number[];
  readonly coverage: number;
};

/** A measurement with what its multiple tests say together. */
type GateFigures = Omit<GateMeasurement, 'casePValues'> & {
  /** Indices of cases that broke by themselves. */
  readonly flagged: readonly number[];
  /** Benjamini–Hochberg adjusted p-value of every case, in input order. */
  readonly adjusted: readonly number[];
};

export type GateResult = GateFigures & { readonly verdict: GateVerdict };

export type GateLook = LadderOptions & {
  /** Adjusted p-values of the cases when more than this comparison was looked at; absent: this one alone. */
  readonly adjusted?: readonly number[] | undefined;
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function assertComparable({ cases, clusters }: GateInput): void {
  const isOneSided = cases.some(([, baseScored, , headScored]) => baseScored < 1 || headScored < 1);
  if (cases.length === 0 || isOneSided) {
    throw new RangeError('The gate needs cases with a scored trial on both arms, and only such.');
  }
  if (clusters && clusters.length !== cases.length) {
    throw new RangeError(`Got ${clusters.length} clusters for ${cases.length} cases.`);
  }
}

/** The figures of one comparison. Throws when there is nothing to compare or a count is impossible. */
export function measureGate(input: GateInput): GateMeasurement {
  assertComparable(input);
  const { cases, clusters, planned = cases.length } = input;
  const { p, midp } = exactStratified(cases);
  return {
    basePassRate: mean(cases.map(([passed, scored]) => passed / scored)),
    headPassRate: mean(cases.map(([, , passed, scored]) => passed / scored)),
    diff: mean(caseDifferences(cases)),
    p,
    midp,
    midpImprove: 1 - midp,
    ...differenceInterval(cases, clusters),
    casePValues: cases.map(fisherCase),
    coverage: cases.length / planned,
  };
}

/** What the ladder makes of a measurement. */
export function judgeMeasurement(
  { casePValues, ...measured }: GateMeasurement,
  input: Pick<GateInput, 'quarantined' | 'parameters'>,
  look: GateLook = {},
): GateResult {
  const parameters = { ...ladderDefaults, ...input.parameters };
  const adjusted = look.adjusted ?? benjaminiHochberg(casePValues);
  const quarantined = new Set(input.quarantined);
  const flagged = [...adjusted.keys()].filter(
    (index) => (adjusted[index] ?? 1) <= parameters.fdr && !quarantined.has(index),
  );
  const figures = { ...measured, flagged, adjusted };
  return { verdict: climbLadder(figures, parameters, look), ...figures };
}

/** The verdict on one suite and cell, with everything it rests on (docs/statistics.md). */
export function runGate(input: GateInput): GateResult {
  return judgeMeasurement(measureGate(input), input);
}
