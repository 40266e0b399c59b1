import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { sanitizeForStorage } from '@proofmark/domain/sanitize-for-storage';
import { APIError, type OpenAI } from 'openai';
import { Agent } from 'undici';
import type { CallFailure } from '../retry/call-failure.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type TrySignal, waitAside } from '../retry/try-scope.ts';
import { badAnswer } from './bad-answer.ts';
import type { Endpoint, KeyRing } from './choose-key.ts';
import { chooseEndpoint } from './choose-key.ts';
import { describeBrokenCall, describeStatus } from './describe-failure.ts';
import { LeanClient } from './lean-client.ts';
import { lightFetch, streamType } from './light-fetch.ts';
import { maskKeys, maskKnownKeys } from './mask-keys.ts';
import type { CallResult, ChatAnswer, ChatRequest, Embeddings, ModelPort } from './model-port.ts';
import { parseChatAnswer } from './parse-chat-answer.ts';
import { parseEmbeddings } from './parse-embeddings.ts';
import { guardedAgent } from './public-address.ts';
import { toChatBody } from './to-chat-body.ts';
import { TokenLimitNames } from './token-limit.ts';
import { UncountedStreams } from './uncounted-streams.ts';

export interface ModelClientOptions {
  keys: KeyRing;
  now: () => Date;
  /** Undefined: a call may start now. Else until it may: a runner that lost its coordinator starts none. */
  beforeCall?: (signal: AbortSignal) => Promise<void> | undefined;
}

/** Every call to a model goes through here; closing it ends its connections. */
export interface ModelClient extends ModelPort, AsyncDisposable {}

const errorCharacters = 500;

export function createModelClient(options: ModelClientOptions): ModelClient {
  const { keys } = options;
  const secrets = [...keys.values.values()].filter((key) => key !== undefined);
  const connections = { open: new Agent(), guarded: guardedAgent() };
  const clients = new Map<string, OpenAI>();
  const endpoints = new Map<string, Endpoint>();
  const learnt = { limitNames: new TokenLimitNames(), uncounted: new UncountedStreams() };

  /** The answer depends on nothing else, and finding it costs as much as sending a request. */
  function endpointOf(settings: ModelSettings): Endpoint {
    const id = JSON.stringify([settings.base_url, settings.api_key_env]);
    const endpoint = endpoints.get(id) ?? chooseEndpoint(settings, keys);
    endpoints.set(id, endpoint);
    return endpoint;
  }

  function clientFor({ baseUrl, key, isTrusted }: Extract<Endpoint, { ok: true }>): OpenAI {
    const id = `${key ?? ''} ${baseUrl}`;
    let client = clients.get(id);
    if (!client) {
      const fetch = lightFetch(isTrusted ? connections.open : connections.guarded);
      client = new LeanClient({ baseURL: baseUrl, key, fetch });
      clients.set(id, client);
    }
    return client;
  }

  async function call<T>(
    settings: ModelSettings,
    signal: TrySignal,
    ask: (client: OpenAI) => Promise<CallResult<T>>,
  ): Promise<CallResult<T>> {
    const endpoint = endpointOf(settings);
    if (!endpoint.ok) return { ok: false, failure: finalFailure('agent', endpoint.message) };
    const opening = options.beforeCall?.(signal);
    if (opening) await waitAside(signal, () => opening);
    try {
      const result = await ask(clientFor(endpoint));
      return result.ok ? result : { ok: false, failure: shown(result.failure, secrets) };
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, failure: shown(describe(error, options.now()), secrets) };
    }
  }

  return {
    chat: (settings, request, signal) =>
      call(settings, signal, (client) => chat(client, { settings, request, signal, secrets, learnt })),
    embed: (settings, inputs, signal) =>
      call(settings, signal, (client) => embed(client, { settings, inputs, signal })),
    async [Symbol.asyncDispose]() {
      await Promise.all([connections.open.destroy(), connections.guarded.destroy()]);
    },
  };
}

interface ChatCall {
  settings: ModelSettings;
  request: ChatRequest;
  signal: AbortSignal;
  secrets: readonly string[];
  /** How servers want to be asked. */
  learnt: { limitNames: TokenLimitNames; uncounted: UncountedStreams };
}

async function chat(client: OpenAI, call: ChatCall): Promise<CallResult<ChatAnswer>> {
  const response = await send(client, call);
  const body: unknown = await response.json();
  const answer = parseChatAnswer(body);
  if (answer.ok && call.settings.stream && !isStream(response)) return badAnswer(notStreamed);
  return answer.ok ? { ok: true, value: withoutSecrets(answer.value, call.secrets) } : answer;
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.toLowerCase().startsWith(streamType) ?? false;

const notStreamed =
  'The provider answered in one piece, although it was asked for a stream: leave stream out of its AI configuration';

/** The request once; and again where the provider only wants it in other words, and did nothing yet. */
async function send(client: OpenAI, { settings, request, signal, learnt }: ChatCall): Promise<Response> {
  const { limitNames, uncounted } = learnt;
  const write = () =>
    toChatBody(settings, request, {
      limitName: limitNames.nameFor(settings),
      countsStream: !uncounted.has(settings),
    });
  for (let body = write(); ; body = write()) {
    try {
      // The bare response: what the SDK makes of it would be read again here, by rules of ours.
      return await client.chat.completions.create(body, { signal }).asResponse();
    } catch (error) {
      if (!limitNames.learn(settings, body, error) && !uncounted.learn(settings, body, error)) throw error;
    }
  }
}

async function embed(
  client: OpenAI,
  { settings, inputs, signal }: { settings: ModelSettings; inputs: readonly string[]; signal: AbortSignal },
): Promise<CallResult<Embeddings>> {
  const sent = { model: settings.model, input: inputs, encoding_format: 'base64' };
  const response = await client.post('/embeddings', { body: sent, signal }).asResponse();
  const body: unknown = await response.json();
  return parseEmbeddings(body, inputs.length);
}

/** A provider or a tool may echo a key into the answer itself; what is stored and judged must not hold it. */
function withoutSecrets(answer: ChatAnswer, secrets: readonly string[]): ChatAnswer {
  return {
    ...answer,
    text: maskKnownKeys(answer.text, secrets),
    calls: answer.calls.map((call) => ({ ...call, arguments: maskKnownKeys(call.arguments, secrets) })),
  };
}

function describe(error: unknown, now: Date): CallFailure {
  if (!(error instanceof APIError) || error.status === undefined) return describeBrokenCall(error);
  const headers = error.headers;
  return describeStatus(
    {
      status: error.status,
      message: error.message,
      // Servers that imitate the interface often leave the code out and say it in the type.
      code: error.code ?? error.type ?? null,
      param: error.param ?? null,
      requestId: error.requestID ?? null,
      header: (name) => headers?.get(name) ?? null,
    },
    now,
  );
}

/** The failure with a text that may be shown: masked first, because a cut could leave half a key that no longer looks like one. */
function shown(failure: CallFailure, secrets: readonly string[]): CallFailure {
  const message = sanitizeForStorage(maskKeys(failure.message, secrets)).value;
  return { ...failure, message: message.slice(0, errorCharacters).toWellFormed() };
}
