/** Precision, recall and their harmonic mean; all 0 where nothing is shared. */
export interface FMeasure {
  p: number;
  r: number;
  f: number;
}

/** `shared` of `inResponse` and of `inTruth` units; an empty side counts as nothing shared. */
export function fMeasure(shared: number, inResponse: number, inTruth: number): FMeasure {
  if (shared === 0 || inResponse === 0 || inTruth === 0) return { p: 0, r: 0, f: 0 };
  const p = shared / inResponse;
  const r = shared / inTruth;
  return { p, r, f: (2 * p * r) / (p + r) };
}
