import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { TokenUsage } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import { type Admission, Breaker, type BreakerRules, breakerRules, type CallEnd } from '@proofmark/domain/breaker';
import { MAX_RETRY_AFTER_MS } from '@proofmark/domain/retry-policy';
import { pause } from '@proofmark/process/pause';
import type { AgentReach } from '../drivers/agent-reach.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import type { CallFailure } from '../retry/call-failure.ts';
import { type TrySignal, waitAside } from '../retry/try-scope.ts';
import type { CallTurn, PermitQueue } from './permit-queue.ts';
import type { Permits } from './permits.ts';

interface Endpoint {
  breaker: Breaker;
  /** What it said last when it failed; not what it says after it was given up, so that all hear the same. */
  lastMessage: string;
}

interface WatchOptions {
  monotonicMs: () => number;
  rules?: BreakerRules;
  /** Whose turn it is to call models with a limit. Absent: there are no limits. */
  permits?: Permits;
}

interface Call<T> {
  endpointId: string;
  /** Undefined: it has no limit. */
  queue: PermitQueue | undefined;
  signal: TrySignal;
  make: () => Promise<CallResult<T>>;
  /** Tokens that the answer says it took; null: it does not say. */
  tokensOf?: (value: T) => number | null;
}

type Admitted = Extract<Admission, { kind: 'go' }>;
/** The turn that was waited for; absent: it has no limit. */
type Waited = { turn?: CallTurn };
type Kept = Exclude<Admission, Admitted>;

/** The side to blame, and the one sentence that all test runs end with. */
interface GivenUp {
  kind: ErrorKind;
  message: string;
}

/**
 * Keeps an eye on the endpoints that one run calls: what fails for all its cases is not asked by each of them, and what has
 * a limit is asked in turn. Whoever waits here does so aside: it is no try, no latency, and no reason for others to wait.
 */
export class EndpointWatch {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Why a test run of this work would end without an answer; undefined as long as nothing that it asks is given up. */
  givenUp(work: CaseWork): GivenUp | undefined {
    // Endpoints are few, and hardly ever is one of them given up.
    for (const { breaker } of this.#endpoints.values())
      if (breaker.look(this.#options.monotonicMs()).kind === 'stopped') return this.#givenUpFor(work);
    return undefined;
  }

  #givenUpFor({ model, agent, instrument }: CaseWork): GivenUp | undefined {
    const { judge, panel = [], embedding, simulator, metricModels = {} } = instrument;
    const asked: [ErrorKind, ModelSettings | null | undefined][] = [
      ['agent', model],
      ['simulator', simulator?.model],
      ...[judge, embedding, ...panel, ...Object.values(metricModels)].map((one): [ErrorKind, typeof one] => [
        'judge',
        one,
      ]),
    ];
    const endpoints = asked.flatMap(([kind, one]) => (one == null ? [] : [{ kind, id: endpointOf(one) }]));
    if (agent.driver.type === 'http') endpoints.push({ kind: 'agent', id: agent.driver.url });
    for (const { kind, id } of endpoints) {
      const endpoint = this.#endpoints.get(id);
      const kept = endpoint?.breaker.look(this.#options.monotonicMs());
      if (endpoint && kept?.kind === 'stopped')
        return { kind, message: notAsked(kept, endpoint, this.#options.rules).message };
    }
    return undefined;
  }

  /** The same models; a call to an endpoint that rests too long or is given up is not made, and fails with the reason. */
  models(models: ModelPort): ModelPort {
    const watched = <T extends { usage: TokenUsage | null }>(
      settings: Settings,
      signal: TrySignal,
      make: () => Promise<CallResult<T>>,
    ) =>
      this.#watched({
        endpointId: endpointOf(settings),
        queue: this.#options.permits?.queueFor(settings),
        signal,
        make,
        tokensOf: ({ usage }) => usage && usage.promptTokens + usage.completionTokens,
      });
    return {
      chat: (settings, request, signal) => watched(settings, signal, () => models.chat(settings, request, signal)),
      embed: (settings, inputs, signal) => watched(settings, signal, () => models.embed(settings, inputs, signal)),
    };
  }

  /** The same way to the agents of a team; programs are no endpoints. */
  reach(reach: AgentReach): AgentReach {
    return {
      call: (request, signal) => {
        const { url, limits } = request.service;
        // Questions for an answer that is under way belong to the turn that asked for it.
        const queue = request.isTurn
          ? this.#options.permits?.queueFor({ base_url: url, model: 'agent', limits })
          : undefined;
        return this.#watched({ endpointId: url, queue, signal, make: () => reach.call(request, signal) });
      },
      start: (program) => reach.start(program),
      ask: (program, message, signal) => reach.ask(program, message, signal),
    };
  }

  async #watched<T>({ endpointId, queue, signal, make, tokensOf }: Call<T>): Promise<CallResult<T>> {
    const { monotonicMs, rules } = this.#options;
    const endpoint = this.#endpoints.get(endpointId) ?? { breaker: new Breaker(rules), lastMessage: '' };
    this.#endpoints.set(endpointId, endpoint);
    // Almost every call may be made at once, and finding that out must cost nothing.
    const now = queue === undefined ? endpoint.breaker.admit(monotonicMs()) : undefined;
    const admitted: (Admitted & Waited) | { failure: CallFailure } =
      now?.kind === 'go' ? now : await this.#admit(endpoint, queue, signal);
    if ('failure' in admitted) return { ok: false, failure: admitted.failure };
    // A call that was aborted says no more than one that failed.
    let end: CallEnd = 'failed';
    let tokens: number | null = null;
    try {
      const result = await make();
      end = endOf(result);
      tokens = tokensTaken(result, tokensOf);
      if (!result.ok) {
        if (endpoint.breaker.look(monotonicMs()).kind !== 'stopped') endpoint.lastMessage = result.failure.message;
        if (result.failure.isThrottled) queue?.slowDown(result.failure.retryAfterMs);
      }
      return result;
    } finally {
      endpoint.breaker.ended(monotonicMs(), end, admitted);
      if (admitted.turn !== undefined) queue?.ended(admitted.turn, tokens);
    }
  }

  /** Waits until the endpoint may be called. A turn is taken only for an endpoint that is awake. */
  async #admit(
    endpoint: Endpoint,
    queue: PermitQueue | undefined,
    signal: TrySignal,
  ): Promise<(Admitted & Waited) | { failure: CallFailure }> {
    const { monotonicMs } = this.#options;
    const untilMs = monotonicMs() + MAX_RETRY_AFTER_MS;
    for (;;) {
      const failure = await this.#untilAwake(endpoint, signal, untilMs);
      if (failure !== undefined) return { failure };
      const waited = await untilTurn(queue, signal);
      if ('failure' in waited) return waited;
      const admission = endpoint.breaker.admit(monotonicMs());
      if (admission.kind === 'go') return { ...admission, ...waited };
      if (waited.turn !== undefined) queue?.giveBack(waited.turn);
    }
  }

  /** Waits while the endpoint rests, a minute in all; why it is not worth it. */
  async #untilAwake(endpoint: Endpoint, signal: TrySignal, untilMs: number): Promise<CallFailure | undefined> {
    const { monotonicMs, rules } = this.#options;
    for (;;) {
      const kept = endpoint.breaker.look(monotonicMs());
      if (kept.kind === 'go') return undefined;
      const worthMs = Math.min(untilMs - monotonicMs(), signal.remainingMs?.() ?? Number.POSITIVE_INFINITY);
      if (kept.kind === 'stopped' || kept.ms >= worthMs) return notAsked(kept, endpoint, rules);
      await waitAside(signal, () => pause(kept.ms, signal));
    }
  }
}

/** Waits for a turn of the limit; why it is not worth it. */
async function untilTurn(
  queue: PermitQueue | undefined,
  signal: TrySignal,
): Promise<Waited | { failure: CallFailure }> {
  if (queue === undefined) return {};
  const there = queue.takeNow();
  if (there !== undefined) return { turn: there };
  const failure = pausedTooLong(queue, signal);
  if (failure !== undefined) return { failure };
  let turn: CallTurn | undefined;
  try {
    await waitAside(signal, async () => {
      turn = await queue.turn(signal);
    });
  } catch (error) {
    // It had its turn, and then no slot of the case any more.
    if (turn !== undefined) queue.giveBack(turn);
    throw error;
  }
  return turn === undefined ? {} : { turn };
}

type Settings = Parameters<ModelPort['chat']>[0];

/** Another key or another model of the same server may well be served. */
const endpointOf = ({ base_url, api_key_env, model }: Settings): string =>
  JSON.stringify([base_url, api_key_env, model]);

/** Tokens that the call took, as far as the provider says; null: nobody knows. A call that was turned away has taken none. */
function tokensTaken<T>(result: CallResult<T>, tokensOf: Call<T>['tokensOf']): number | null {
  if (result.ok) return tokensOf?.(result.value) ?? null;
  return result.failure.isThrottled === true ? 0 : null;
}

function endOf(result: CallResult<unknown>): CallEnd {
  if (result.ok) return 'answered';
  if (result.failure.isRefusal) return 'refused';
  // An answer that cannot be used is one, too.
  return result.failure.retryable ? 'failed' : 'answered';
}

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
  // Every runner finds out by a request of its own, and all say the same.
  const said = lastMessage.replace(/ \(request [^()]*\)/, '');
  const message = `The rest of the run does not ask the provider any more, because ${why}: ${said}`;
  return { ...failure, message, retryable: false, retryAfterMs: null };
}

/** Why it is not worth waiting for a turn; undefined when it is. */
function pausedTooLong({ pausedMs }: PermitQueue, { remainingMs }: TrySignal): CallFailure | undefined {
  if (pausedMs === 0 || pausedMs < (remainingMs?.() ?? Number.POSITIVE_INFINITY)) return undefined;
  const message = `Not asked, because the provider wants no call for another ${Math.ceil(pausedMs / 1_000)} s`;
  return { kind: 'agent', message, retryable: true, retryAfterMs: pausedMs, isNotAsked: true };
}
