import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { APIError } from 'openai';

/** The servers that refuse to say what a stream used, learnt from their refusals. Its tokens are unknown then. */
export class UncountedStreams {
  readonly #servers = new Set<string>();

  has(settings: ModelSettings): boolean {
    return this.#servers.has(idOf(settings));
  }

  /** Whether the same request is worth sending again without asking for its usage, which is not asked for from now on. */
  learn(settings: ModelSettings, sent: { stream_options?: unknown }, error: unknown): boolean {
    if (sent.stream_options === undefined || !refusesUsage(error)) return false;
    this.#servers.add(idOf(settings));
    return true;
  }
}

const idOf = ({ base_url, model }: ModelSettings): string => JSON.stringify([base_url, model]);

const refusesUsage = (error: unknown): boolean =>
  error instanceof APIError &&
  (error.status === 400 || error.status === 422) &&
  error.message.includes('stream_options');
