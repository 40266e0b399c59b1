import type { CaseOutcome, TokenUsage } from '@proofmark/contracts/case-outcome';

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
export function totalCostUsd({ costUsd, conversation, measuring }: Costs): number | null {
  const ofConversation = plusKnown(costUsd, conversation?.simulator.costUsd);
  return measuring === undefined
    ? ofConversation
    : measuring.reduce((sum, role) => plusKnown(sum, role.costUsd), ofConversation);
}

const plusKnown = (sum: number | null, part: number | null | undefined): number | null =>
  part == null ? sum : (sum ?? 0) + part;

/** The sum of what is known; null when nothing is. */
export function sumKnown(parts: readonly (number | null | undefined)[]): number | null {
  return parts.reduce<number | null>(plusKnown, null);
}

/** The tokens of all calls together; null as soon as one has no usage, because a sum of the others would look complete. */
export function sumUsage(usages: readonly (TokenUsage | null)[]): TokenUsage | null {
  let promptTokens = 0;
  let completionTokens = 0;
  let cachedTokens = 0;
  for (const usage of usages) {
    if (usage === null) return null;
    promptTokens += usage.promptTokens;
    completionTokens += usage.completionTokens;
    cachedTokens += usage.cachedTokens ?? 0;
  }
  return { promptTokens, completionTokens, ...(cachedTokens > 0 && { cachedTokens }) };
}
