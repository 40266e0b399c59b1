import type { TokenUsage } from '@proofmark/contracts/case-outcome';

/** The tokens of all calls together; null as soon as one has no usage, because a sum of the others would look complete. */
export function sumUsage(usages: readonly (TokenUsage | null)[]): TokenUsage | null {
  let sum: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  for (const usage of usages) {
    if (usage === null) return null;
    const cachedTokens = (sum.cachedTokens ?? 0) + (usage.cachedTokens ?? 0);
    sum = {
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
      ...(cachedTokens > 0 ? { cachedTokens } : {}),
    };
  }
  return sum;
}
