import { Breaker, type BreakerRules, breakerRules, type CallEnd, type StopReason } from '@proofmark/domain/breaker';
import type { AgentReach } from '../drivers/agent-reach.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import type { CallFailure } from './call-failure.ts';

interface Endpoint {
  breaker: Breaker;
  /** What it said last when it failed. */
  lastMessage: string;
}

export interface WatchOptions {
  monotonicMs: () => number;
  rules?: BreakerRules;
}

/** Keeps an eye on the endpoints that one run calls: what fails for all its cases is not asked by each of them. */
export class EndpointWatch {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** The same models; a call to an endpoint that rests or is given up is not made, and fails with the reason. */
  models(models: ModelPort): ModelPort {
    return {
      chat: (settings, request, signal) =>
        this.#watched(endpointOf(settings), () => models.chat(settings, request, signal)),
      embed: (settings, inputs, signal) =>
        this.#watched(endpointOf(settings), () => models.embed(settings, inputs, signal)),
    };
  }

  /** The same way to the agents of a team; programs are no endpoints. */
  reach(reach: AgentReach): AgentReach {
    return {
      post: (url, body, signal) => this.#watched(url, () => reach.post(url, body, signal)),
      start: (command) => reach.start(command),
    };
  }

  async #watched<T>(id: string, call: () => Promise<CallResult<T>>): Promise<CallResult<T>> {
    const { monotonicMs, rules } = this.#options;
    const endpoint = this.#endpoints.get(id) ?? { breaker: new Breaker(rules), lastMessage: '' };
    this.#endpoints.set(id, endpoint);
    const admitted = endpoint.breaker.admit(monotonicMs());
    if (admitted.kind !== 'go') return { ok: false, failure: notAsked(admitted, endpoint, rules) };
    // A call that was aborted says no more than one that failed.
    let end: CallEnd = 'failed';
    try {
      const result = await call();
      end = endOf(result);
      if (!result.ok) endpoint.lastMessage = result.failure.message;
      return result;
    } finally {
      endpoint.breaker.ended(monotonicMs(), end, admitted);
    }
  }
}

/** Another key or another model of the same server may well be served. */
const endpointOf = ({ base_url, api_key_env, model }: Parameters<ModelPort['chat']>[0]): string =>
  JSON.stringify([base_url, api_key_env, model]);

function endOf(result: CallResult<unknown>): CallEnd {
  if (result.ok) return 'answered';
  if (result.failure.isRefusal) return 'refused';
  // An answer that cannot be used is one, too.
  return result.failure.retryable ? 'failed' : 'answered';
}

type Kept = { kind: 'wait'; ms: number } | { kind: 'stopped'; reason: StopReason };

function notAsked(kept: Kept, { lastMessage }: Endpoint, rules = breakerRules): CallFailure {
  const failure = { kind: 'agent' as const, isNotAsked: true as const };
  if (kept.kind === 'wait') {
    const message = `Not asked, because most calls fail at the moment: ${lastMessage}`;
    return { ...failure, message, retryable: true, retryAfterMs: kept.ms };
  }
  const why =
    kept.reason === 'refused'
      ? `it refused ${rules.refusals} calls in a row`
      : `it has failed for ${rules.longestOutageMs / 60_000} minutes`;
  const message = `The rest of the run does not ask the provider any more, because ${why}: ${lastMessage}`;
  return { ...failure, message, retryable: false, retryAfterMs: null };
}
