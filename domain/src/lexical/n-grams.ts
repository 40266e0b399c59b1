/** How often each run of `n` tokens occurs. A token never holds white space, so a space separates them for sure. */
export function countNGrams(tokens: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let start = 0; start + n <= tokens.length; start += 1) {
    const gram = tokens.slice(start, start + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** The n-grams that both have, each counted as often as in the text where it is rarer. */
export function clippedOverlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let overlap = 0;
  for (const [gram, count] of a) overlap += Math.min(count, b.get(gram) ?? 0);
  return overlap;
}

/** Number of n-grams in a text of so many tokens. */
export const nGramTotal = (tokens: number, n: number): number => Math.max(0, tokens - n + 1);
