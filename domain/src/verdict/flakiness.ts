import type { PassCount } from '@proofmark/contracts/verdict';

/** The newest scored trials of the base branch by which a case is measured, whatever the agent was. */
export const flakinessWindow = { trials: 20, maxAgeDays: 60 } as const;

const leastTrials = 10;
const leastOfEach = 2;
const leastRate = 0.1;

/** 4·p·(1 − p), 0 for a case that always ends the same way and 1 for a coin; null below ten trials (docs/repetitions.md#flaky-cases-and-quarantine). */
export function measureFlakiness({ passed, scored }: PassCount): number | null {
  if (scored < leastTrials) return null;
  const rate = passed / scored;
  return 4 * rate * (1 - rate);
}

/** What the measure of a flaky case is at least: at the rates next to certainty that still count. */
const leastFlakiness = 4 * leastRate * (1 - leastRate);

/** Whether a case is flaky that was none when this was measured. */
export const hasBecomeFlaky = (window: PassCount, before: number | null): boolean =>
  isFlaky(window) && (before === null || before < leastFlakiness - 1e-9);

/** Whether the case passes and fails by itself so often that it must not fail a pull request alone. */
export function isFlaky({ passed, scored }: PassCount): boolean {
  if (scored < leastTrials || passed < leastOfEach || scored - passed < leastOfEach) return false;
  const rate = passed / scored;
  return rate >= leastRate && rate <= 1 - leastRate;
}
