import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { APIError } from 'openai';

/** What a provider calls the longest answer: newer models (o-series, gpt-5) refuse the name that all others know. */
export type TokenLimitName = 'max_tokens' | 'max_completion_tokens';

/**
 * Which models want the other name, learnt from their refusals: no list of model names would stay right, and a server
 * that does not know the other name ignores it, so that nothing would limit the answer.
 */
export class TokenLimitNames {
  readonly #renamed = new Set<string>();

  nameFor(settings: ModelSettings): TokenLimitName {
    return this.#renamed.has(idOf(settings)) ? 'max_completion_tokens' : 'max_tokens';
  }

  /** Whether the same request is worth sending again under the other name, which is used from now on. */
  learn(settings: ModelSettings, sent: { max_tokens?: number | null | undefined }, error: unknown): boolean {
    if (typeof sent.max_tokens !== 'number' || !wantsOtherName(error)) return false;
    this.#renamed.add(idOf(settings));
    return true;
  }
}

const idOf = ({ base_url, model }: ModelSettings): string => JSON.stringify([base_url, model]);

const wantsOtherName = (error: unknown): boolean =>
  error instanceof APIError && error.status === 400 && error.message.includes('max_completion_tokens');
