import { passRate } from '@proofmark/domain/totals';

export interface Counters {
  totalCases: number;
  passedCases: number;
  failedCases: number;
  skippedCases: number;
}

export function openCases({ totalCases, passedCases, failedCases, skippedCases }: Counters): number {
  return totalCases - passedCases - failedCases - skippedCases;
}

/** Of what has a result by now; null when nothing was executed. */
export function passRateOf({ passedCases, failedCases }: Counters): number | null {
  return passRate({ passed: passedCases, total: passedCases + failedCases, skipped: 0 });
}
