import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { TokenUsage } from '@proofmark/contracts/case-outcome';

/** US dollars; null when tokens or price are unknown, because a guess would be summed up as if it were true. */
export function costUsd(usage: TokenUsage | null, model: Pick<ModelSettings, 'price'> | null): number | null {
  const price = model?.price;
  if (!usage || !price) return null;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.promptTokens);
  const inputUsd = (usage.promptTokens - cached) * price.input + cached * (price.cached_input ?? price.input);
  return (inputUsd + usage.completionTokens * price.output) / 1e6;
}
