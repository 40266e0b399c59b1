/** Scored trials of one case and how many of them passed. */
type ScoredTrials = { readonly scored: number; readonly passed: number };

/** Share of ways to choose k trials that are all among `good` of `all`, C(good, k)/C(all, k). */
function allChosenFrom(good: number, all: number, k: number): number {
  let share = 1;
  for (let i = 0; i < k; i += 1) share *= Math.max(0, good - i) / (all - i);
  return share;
}

/** pass@k: chance that at least one of k trials passes, 1 − C(n−c,k)/C(n,k) (Chen et al. 2021); null when n < k. */
export function passAtK({ scored, passed }: ScoredTrials, k: number): number | null {
  return scored < k ? null : 1 - allChosenFrom(scored - passed, scored, k);
}

/** pass^k: chance that all of k trials pass, C(c,k)/C(n,k) (Yao et al. 2024, τ-bench); null when n < k. */
export function passHatK({ scored, passed }: ScoredTrials, k: number): number | null {
  return scored < k ? null : allChosenFrom(passed, scored, k);
}

/** Arithmetic mean of either measure over the cases with at least k scored trials, and how many those were; null without any. */
export function meanOverCases(
  cases: readonly ScoredTrials[],
  k: number,
  measure: typeof passAtK,
): { readonly value: number | null; readonly cases: number } {
  const values = cases.map((trials) => measure(trials, k)).filter((value) => value !== null);
  const sum = values.reduce((total, value) => total + value, 0);
  return { value: values.length === 0 ? null : sum / values.length, cases: values.length };
}

/** How the repetitions of a case become one status. */
export type Reducer = { readonly kind: 'majority' | 'all' | 'any' } | { readonly kind: 'at_least'; readonly k: number };

function passesNeeded(reducer: Reducer, scored: number): number {
  switch (reducer.kind) {
    case 'majority':
      return Math.floor(scored / 2) + 1;
    case 'all':
      return scored;
    case 'any':
      return 1;
    case 'at_least':
      return reducer.k;
  }
}

/** One status from the scored trials of a case, by majority vote or a quota (Condorcet 1785); `error` when none was scored, a tied majority is `failed`. */
export function reduceTrials(
  { scored, passed }: ScoredTrials,
  reducer: Reducer = { kind: 'majority' },
): 'passed' | 'failed' | 'error' {
  if (scored === 0) return 'error';
  return passed >= passesNeeded(reducer, scored) ? 'passed' : 'failed';
}

/** From the least to the most: an array of numbers is sorted without a function that compares them. */
type Sorted = Float64Array;

/** How the scores of repetitions become one: `at_least` is 1 when at least k of them reach the threshold, else 0. */
type ValueReducer =
  | { readonly kind: 'mean' | 'median' | 'mode' | 'min' | 'max' }
  | { readonly kind: 'at_least'; readonly k: number; readonly threshold: number };

/** One value for all of them (arithmetic mean, sample median, mode, extremes, or a quota); null without values. */
export function reduceValues(values: readonly number[], reducer: ValueReducer): number | null {
  return reduceSorted(Float64Array.from(values).sort(), reducer);
}

function reduceSorted(sorted: Sorted, reducer: ValueReducer): number | null {
  const [least] = sorted;
  if (least === undefined) return null;
  switch (reducer.kind) {
    case 'mean':
      return sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    case 'median':
      return (at(sorted, (sorted.length - 1) / 2) + at(sorted, sorted.length / 2)) / 2;
    case 'mode':
      return modeOf(sorted);
    case 'min':
      return least;
    case 'max':
      return at(sorted, sorted.length - 1);
    case 'at_least':
      return sorted.filter((value) => value >= reducer.threshold).length >= reducer.k ? 1 : 0;
  }
}

const at = (sorted: Sorted, place: number): number => sorted[Math.floor(place)] ?? Number.NaN;

/** Of equally frequent values the smallest: a tie is never decided in favour of the better score. */
function modeOf(sorted: Sorted): number {
  const groups = [...Map.groupBy(sorted, (value) => value).values()];
  const most = groups.toSorted((a, b) => b.length - a.length)[0] ?? [];
  return most[0] ?? Number.NaN;
}

type TrialSummary = { readonly mean: number; readonly p50: number; readonly p95: number };

/** Arithmetic mean over the values that are not null; a real 0 counts, null does not. Null when none is left. */
export function meanOfKnown(values: readonly (number | null)[]): number | null {
  const [only] = values;
  // Most cases run once.
  if (values.length < 2) return only ?? null;
  return reduceValues(
    values.filter((value) => value !== null),
    { kind: 'mean' },
  );
}

/** Linear interpolation between the two nearest ranks (Hyndman & Fan 1996, type 7). */
function quantileOfSorted(sorted: Sorted, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

/** Mean, median and 95th percentile of latencies or costs over trials; null without trials. */
export function summariseTrials(values: readonly number[]): TrialSummary | null {
  const sorted = Float64Array.from(values).sort();
  const mean = reduceSorted(sorted, { kind: 'mean' });
  if (mean === null) return null;
  return { mean, p50: quantileOfSorted(sorted, 0.5), p95: quantileOfSorted(sorted, 0.95) };
}
