import type { CaseOutcome } from '@proofmark/contracts/case-outcome';

/** What a test run cost in US dollars, simulator and judges included; unknown parts count as nothing, so it is "at least". */
export function knownCostUsd({
  costUsd,
  conversation,
  measuring = [],
}: Pick<CaseOutcome, 'costUsd' | 'conversation' | 'measuring'>): number {
  const parts = [costUsd, conversation?.simulator.costUsd, ...measuring.map((role) => role.costUsd)];
  return parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
}
