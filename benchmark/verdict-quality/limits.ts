import type { Change } from '@proofmark/domain/simulated-changes';

/** What is promised: false alarms of at most 5.6% everywhere, and what 50 cases run five times have to see. */
export function verdictLimits(plan: string, change: Change): { most: number; least: number } {
  if (change === 'nothing') return { most: 0.056, least: 0 };
  const isPromised = plan === '50 cases × 5';
  if (isPromised && change === 'pass rate −10 points') return { most: 1, least: 0.97 };
  if (isPromised && change === '10% of cases broken') return { most: 1, least: 0.8 };
  return { most: 1, least: 0 };
}

/** 200 ms on a machine that needs 250 ms for the loop: a ratio, because machines differ and are busy. */
export const slowestRatio = 0.8;
