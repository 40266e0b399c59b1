import type { JudgeCounts } from '@proofmark/contracts/judge-measurement';

/** What people said of one answer, and what the judge said; null where it did not decide. */
export interface Decision {
  label: 'passed' | 'failed';
  decision: 'passed' | 'failed' | null;
}

/** How often the judge and people decided alike; answers without a decision count nowhere. */
export function countDecisions(decisions: readonly Decision[]): JudgeCounts {
  const count = (label: string, decision: string): number =>
    decisions.filter((one) => one.label === label && one.decision === decision).length;
  return {
    truePasses: count('passed', 'passed'),
    falseFails: count('passed', 'failed'),
    trueFails: count('failed', 'failed'),
    falsePasses: count('failed', 'passed'),
  };
}
