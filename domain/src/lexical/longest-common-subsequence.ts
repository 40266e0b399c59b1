/** The length of the longest sequence of tokens that occurs in both in this order, gaps allowed. Time is the product of both lengths. */
export function longestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  const numbers = new Map<string, number>();
  const numberOf = (token: string): number => {
    const known = numbers.get(token) ?? numbers.size;
    numbers.set(token, known);
    return known;
  };
  const rows = Uint32Array.from(a, numberOf);
  const columns = Uint32Array.from(b, numberOf);
  // best[j]: the answer for the rows so far and the first j columns.
  const best = new Uint32Array(columns.length + 1);
  for (const row of rows) extend(best, row, columns);
  return best[columns.length] ?? 0;
}

function extend(best: Uint32Array, row: number, columns: Uint32Array): void {
  let diagonal = 0;
  for (let j = 1; j < best.length; j += 1) {
    const above = best[j] ?? 0;
    best[j] = columns[j - 1] === row ? diagonal + 1 : Math.max(above, best[j - 1] ?? 0);
    diagonal = above;
  }
}
