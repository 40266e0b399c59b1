/** The cosine of two vectors in [-1, 1]; 0 when one of them is zero, undefined when their lengths differ or a part is not finite. */
export function cosineSimilarity(a: readonly number[], b: readonly number[]): number | undefined {
  if (a.length !== b.length || a.length === 0) return undefined;
  let [dot, squareA, squareB] = [0, 0, 0];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? Number.NaN;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  if (!Number.isFinite(dot) || !Number.isFinite(squareA) || !Number.isFinite(squareB)) return undefined;
  if (squareA === 0 || squareB === 0) return 0;
  // Rounding may leave the range by a hair, and a score of 1.0000000000000002 is not one.
  return Math.min(1, Math.max(-1, dot / (Math.sqrt(squareA) * Math.sqrt(squareB))));
}

/** A score a rounding error below the threshold still passes. */
export function reachesThreshold(score: number, threshold: number): boolean {
  return score >= threshold - 1e-9;
}
