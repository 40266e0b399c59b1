/** A score, the limit it was given, and the evaluator's own verdict where it has one. */
export interface ScoredMetric {
  score: number | null;
  threshold?: number | null | undefined;
  verdict?: boolean | null | undefined;
}

const slack = 1e-9;

/** Whether a metric passed: at least its threshold, else what its evaluator says, else any score above 0. No score never passes. */
export function metricPassed({ score, threshold, verdict }: ScoredMetric): boolean {
  if (score === null) return false;
  if (threshold !== undefined && threshold !== null) return score >= threshold - slack;
  return verdict ?? score > 0;
}
