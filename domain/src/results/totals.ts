import type { CaseOutcome } from '@proofmark/contracts/case-outcome';

/** Finished cases of a run; errors are among the rest of `total`. */
export type CaseTotals = {
  readonly passed: number;
  readonly total: number;
  readonly skipped: number;
};

/** Percent 0–100 of the executed cases that passed; null when nothing was executed. */
export function passRate({ passed, total, skipped }: CaseTotals): number | null {
  const executed = total - skipped;
  return executed > 0 ? (passed / executed) * 100 : null;
}

type Costs = Pick<CaseOutcome, 'costUsd' | 'conversation' | 'measuring'>;

/** What a test run cost in US dollars, simulator and judges included; unknown parts count as nothing, so it is "at least". */
export const knownCostUsd = (outcome: Costs): number => totalCostUsd(outcome) ?? 0;

/** The same, but null when no part of it had a known price. */
export function totalCostUsd({ costUsd, conversation, measuring = [] }: Costs): number | null {
  return sumKnown([costUsd, conversation?.simulator.costUsd, ...measuring.map((role) => role.costUsd)]);
}

/** The sum of what is known; null when nothing is. */
export function sumKnown(parts: readonly (number | null | undefined)[]): number | null {
  const known = parts.filter((part) => part != null);
  return known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0);
}
