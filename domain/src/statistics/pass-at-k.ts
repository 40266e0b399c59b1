/** Scored trials of one case and how many of them passed. */
export type ScoredTrials = { readonly scored: number; readonly passed: number };

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
