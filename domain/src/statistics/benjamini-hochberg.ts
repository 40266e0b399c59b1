/** Adjusted p-values in input order, adj(j) = min over k ≥ j of min(1, p(k)·m/k). Benjamini & Hochberg 1995. */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const count = pValues.length;
  const ranked = pValues.map((p, index) => ({ p, index })).toSorted((a, b) => a.p - b.p);
  const adjusted = pValues.map(() => 1);
  let smallest = 1;
  for (const [position, { p, index }] of ranked.toReversed().entries()) {
    smallest = Math.min(smallest, (p * count) / (count - position));
    adjusted[index] = smallest;
  }
  return adjusted;
}
