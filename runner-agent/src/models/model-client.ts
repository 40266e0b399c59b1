import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { sanitizeForStorage } from '@proofmark/domain/kept-text';
import { guardedAgent } from '@proofmark/process/guarded-agent';
import { tracing } from '@proofmark/process/tracing';
import type { OpenAI } from 'openai';
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import { Agent } from 'undici';
import { z } from 'zod';
import { type CallFailure, finalFailure } from '../retry/call-failure.ts';
import { type TrySignal, waitAside } from '../retry/try-scope.ts';
import { badAnswer } from './bad-answer.ts';
import { describeBrokenCall, describeStatus } from './describe-failure.ts';
import { adjustmentsOf, type Dialect, Dialects, formFor, learn, limitFor, moreTokens } from './dialects.ts';
import { chooseEndpoint, type Endpoint, type KeyRing } from './key-ring.ts';
import { LeanClient, RefusedRequest } from './lean-client.ts';
import { lightFetch, streamType } from './light-fetch.ts';
import { maskKeys, maskKnownKeys } from './mask-keys.ts';
import type { CallResult, ChatAnswer, ChatRequest, Embeddings, ModelPort } from './model-port.ts';
import { parseChatAnswer } from './parse-chat-answer.ts';
import { toChatBody } from './to-chat-body.ts';
import { tracedChat, tracedEmbed } from './traced-call.ts';

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
  const dialects = new Dialects();

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
      return { ok: false, failure: shown(describe(error, options.now(), endpoint.baseUrl), secrets) };
    }
  }

  const ports: ModelPort = {
    chat: (settings, request, signal) =>
      call(settings, signal, (client) => chat(client, { settings, request, signal, secrets, dialects })),
    embed: (settings, inputs, signal) =>
      call(settings, signal, (client) => embed(client, { settings, inputs, signal })),
  };
  return {
    chat: (settings, request, signal) =>
      tracing() === null ? ports.chat(settings, request, signal) : tracedChat(ports, { settings, request, signal }),
    embed: (settings, inputs, signal) =>
      tracing() === null ? ports.embed(settings, inputs, signal) : tracedEmbed(ports, { settings, inputs, signal }),
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
  dialects: Dialects;
}

/** As many as there are things to learn about one model. */
const mostChanges = 8;

/**
 * The request; and again, changed in one thing at a time, where the model refuses the way in which it is asked, or was cut
 * off before it had answered. What was found out counts for all calls of the model once it has led to an answer.
 */
async function chat(client: OpenAI, call: ChatCall): Promise<CallResult<ChatAnswer>> {
  const { settings, request, signal, dialects } = call;
  const before = dialects.of(settings);
  let dialect = before;
  for (let changes = 0; ; changes += 1) {
    const body = toChatBody(settings, request, dialect);
    const response = await client.chat.completions.create(body, { signal }).asResponse().catch(refused);
    const asked = response instanceof RefusedRequest ? response : readResponse(response, await response.json(), call);
    const changed = changes === mostChanges ? undefined : nextDialect(asked, { dialect, body, call });
    if (changed === undefined) {
      if (asked instanceof RefusedRequest) throw asked;
      dialects.keep(settings, { before, found: dialect });
      return asAskedFor(asked, { settings, request, dialect });
    }
    dialect = changed;
  }
}

/** The answer where it was asked for, with what was asked otherwise. */
function asAskedFor(
  asked: CallResult<ChatAnswer>,
  { settings, request, dialect }: Pick<ChatCall, 'settings' | 'request'> & { dialect: Dialect },
): CallResult<ChatAnswer> {
  if (!asked.ok) return asked;
  const adjustments = adjustmentsOf(settings, request, dialect);
  const said = formFor(settings, dialect) === 'tool' ? fromTool(asked.value, request) : asked.value;
  return { ok: true, value: adjustments.length === 0 ? said : { ...said, adjustments } };
}

interface Asked {
  dialect: Dialect;
  body: ChatCompletionCreateParams;
  call: ChatCall;
}

/** How to ask instead; undefined where the answer stands. */
function nextDialect(
  asked: RefusedRequest | CallResult<ChatAnswer>,
  { dialect, body, call }: Asked,
): Dialect | undefined {
  const { settings, request } = call;
  if (asked instanceof RefusedRequest) return learn(dialect, { settings, sent: { ...body }, refusal: asked.refusal });
  const isStarved = request.schema !== undefined && asked.ok && asked.value.flags.includes('cut_by_model');
  return isStarved && limitFor(settings, request, dialect) !== undefined ? moreTokens(dialect) : undefined;
}

/** What the bare response says: what the SDK makes of it would be read again here, by rules of ours. */
function readResponse(response: Response, body: unknown, { settings, secrets }: ChatCall): CallResult<ChatAnswer> {
  const answer = parseChatAnswer(body);
  if (answer.ok && settings.stream && !isStream(response)) return badAnswer(notStreamed);
  return answer.ok ? { ok: true, value: withoutSecrets(answer.value, secrets) } : answer;
}

/** A refusal is something to learn from; nothing else that goes wrong is. */
function refused(error: unknown): RefusedRequest {
  if (error instanceof RefusedRequest) return error;
  throw error;
}

/** The arguments of the tool that the model was made to call are its answer. */
function fromTool(answer: ChatAnswer, { schema }: ChatRequest): ChatAnswer {
  const [call, ...others] = answer.calls;
  if (schema === undefined || call?.name !== schema.name || others.length > 0) return answer;
  return { ...answer, text: call.arguments, calls: [] };
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.toLowerCase().startsWith(streamType) ?? false;

const notStreamed =
  'The provider answered in one piece, although it was asked for a stream: leave stream out of its AI configuration';

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
  const text = maskKnownKeys(answer.text, secrets);
  if (answer.calls.length === 0) return text === answer.text ? answer : { ...answer, text };
  const calls = answer.calls.map((call) => ({ ...call, arguments: maskKnownKeys(call.arguments, secrets) }));
  return { ...answer, text, calls };
}

const spoiltAnswers: ReadonlySet<string> = new Set(['json_validate_failed', 'tool_use_failed']);

function describe(error: unknown, now: Date, baseUrl: string): CallFailure {
  if (!(error instanceof RefusedRequest)) return describeBrokenCall(error);
  const { refusal, headers } = error;
  // The model did answer; its server only did not find in the answer what it had been asked for.
  if (spoiltAnswers.has(refusal.code ?? ''))
    return badAnswer(`The provider threw an answer away: ${error.message}`).failure;
  return describeStatus(
    {
      status: refusal.status,
      message: error.message,
      code: refusal.code,
      param: refusal.fields[0] ?? null,
      requestId: error.requestID ?? null,
      header: (name) => headers?.get(name) ?? null,
    },
    now,
    `The provider at ${new URL(baseUrl).host}`,
  );
}

/** The failure with a text that may be shown: masked first, because a cut could leave half a key that no longer looks like one. */
function shown(failure: CallFailure, secrets: readonly string[]): CallFailure {
  const message = sanitizeForStorage(maskKeys(failure.message, secrets)).value;
  return { ...failure, message: message.slice(0, errorCharacters).toWellFormed() };
}

const Vector = z.union([z.array(z.number()), z.base64()]);
const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: Vector })),
  usage: z
    .object({ prompt_tokens: z.int().min(0).max(1e9) })
    .nullish()
    .catch(null),
});

/** One vector per input in the order of the inputs; servers that ignore the base64 wish and send numbers are fine. */
function parseEmbeddings(body: unknown, inputCount: number): CallResult<Embeddings> {
  const parsed = Answer.safeParse(body);
  if (!parsed.success) return badAnswer('The provider answered embeddings of an unexpected shape');
  const { data, usage } = parsed.data;
  if (data.length !== inputCount)
    return badAnswer(`The provider answered ${data.length} embeddings for ${inputCount} texts`);
  const vectors = data
    .map((row, at) => ({ at: row.index ?? at, vector: decode(row.embedding) }))
    .sort((a, b) => a.at - b.at);
  return {
    ok: true,
    value: {
      vectors: vectors.map(({ vector }) => vector),
      usage: usage ? { promptTokens: usage.prompt_tokens, completionTokens: 0 } : null,
    },
  };
}

function decode(embedding: z.infer<typeof Vector>): number[] {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
