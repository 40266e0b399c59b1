/** How the scores of repetitions become one: `at_least` is 1 when at least k of them reach the threshold, else 0. */
export type ValueReducer =
  | { readonly kind: 'mean' | 'median' | 'mode' | 'min' | 'max' }
  | { readonly kind: 'at_least'; readonly k: number; readonly threshold: number };

/** One value for all of them (arithmetic mean, sample median, mode, extremes, or a quota); null without values. */
export function reduceValues(values: readonly number[], reducer: ValueReducer): number | null {
  const sorted = values.toSorted((a, b) => a - b);
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

const at = (sorted: readonly number[], place: number): number => sorted[Math.floor(place)] ?? Number.NaN;

/** Of equally frequent values the smallest: a tie is never decided in favour of the better score. */
function modeOf(sorted: readonly number[]): number {
  const groups = [...Map.groupBy(sorted, (value) => value).values()];
  const most = groups.toSorted((a, b) => b.length - a.length)[0] ?? [];
  return most[0] ?? Number.NaN;
}
