import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { listen } from './listen.ts';
import { ChatRequest, lastUserText, systemText } from './model/chat-request.ts';
import { completionOf, eventsOf } from './model/completion.ts';
import type { ServerDialect } from './model/dialects.ts';
import { embeddingOf, toBase64 } from './model/embedding.ts';
import { Gate } from './model/gate.ts';
import { answerOf, findRule, type Rule, type ScriptedAnswer } from './model/rules.ts';

type ModelCall = {
  path: string;
  /** The key that came with the call, without "Bearer". */
  key: string | undefined;
  model: string;
  system: string;
  user: string;
  body: unknown;
  /** 0 while the call is in flight, and when the caller left first. */
  status: number;
};

type Fault = { status: number; headers: Record<string, string> };

export type ModelServer = AsyncDisposable & {
  /** The base URL for an OpenAI client: it ends in /v1. */
  url: string;
  /** Every call so far, oldest first. */
  requests: ModelCall[];
  /** From the next call on it follows these rules, in this dialect. */
  play: (part: Pick<StartOptions, 'rules' | 'dialect'>) => void;
  /** The next call, whatever it asks, is answered with this status; several faults queue up. */
  nextError: (status: number, headers?: Record<string, string>) => void;
  hold: Gate['hold'];
  release: Gate['release'];
  whenInFlight: Gate['whenInFlight'];
  inFlight: () => number;
  /** The most calls that ever were in flight together. */
  mostInFlight: () => number;
  stop: () => Promise<void>;
};

type StartOptions = {
  rules: readonly Rule[];
  port?: number;
  /** Added to every answer. */
  delayMs?: number;
  /** How a family of real servers refuses and answers; absent: obligingly. */
  dialect?: ServerDialect | undefined;
};
type State = {
  rules: readonly Rule[];
  delayMs: number;
  dialect: ServerDialect;
  gate: Gate;
  faults: Fault[];
  requests: ModelCall[];
};

const obliging: ServerDialect = { source: 'none' };

/** An OpenAI-compatible model on loopback that follows its rules: the same request gets the same answer. */
export async function startModelServer({
  rules,
  port = 0,
  delayMs = 0,
  dialect = obliging,
}: StartOptions): Promise<ModelServer> {
  const gate = new Gate();
  const state: State = { rules, delayMs, dialect, gate, faults: [], requests: [] };
  const server = createServer((request, response) => {
    serve(state, request, response).catch((error: unknown) => {
      if (!response.headersSent) sendError(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  const { origin, close } = await listen(server, port);
  return {
    url: `${origin}/v1`,
    requests: state.requests,
    play: (part) => void Object.assign(state, { rules: part.rules, dialect: part.dialect ?? obliging }),
    nextError: (status, headers = {}) => void state.faults.push({ status, headers }),
    hold: (when) => gate.hold(when),
    release: () => gate.release(),
    whenInFlight: (count, timeoutMs) => gate.whenInFlight(count, timeoutMs),
    inFlight: () => gate.inFlight,
    mostInFlight: () => gate.mostInFlight,
    stop: close,
    [Symbol.asyncDispose]: close,
  };
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://loopback');
  const operation = `${request.method} ${pathname}`;
  const answer = answers[operation];
  if (answer !== undefined) return serveCall({ state, request, response, path: pathname, answer });
  if (operation === 'GET /v1/models') return send(response, 200, { object: 'list', data: [] });
  if (operation === 'GET /requests') return send(response, 200, state.requests);
  sendError(response, 404, `no such operation: ${operation}`);
}

type Incoming = { state: State; request: IncomingMessage; response: ServerResponse; path: string; answer: Answer };

async function serveCall({ state, request, response, path, answer }: Incoming): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  state.gate.enter();
  try {
    const body = await readJson(request);
    const key = request.headers.authorization?.replace(/^Bearer /, '');
    const call: ModelCall = { path, key, ...subjectOf(body), body, status: 0 };
    state.requests.push(call);
    const fault = state.faults.shift();
    if (fault === undefined) await answer({ state, body, response, signal: gone.signal });
    else sendError(response, fault.status, `scripted fault ${fault.status}`, fault.headers);
    call.status = response.statusCode;
  } catch (error) {
    // The caller left; there is nobody to answer.
    if (!gone.signal.aborted) throw error;
  } finally {
    state.gate.leave();
  }
}

type Call = { state: State; body: unknown; response: ServerResponse; signal: AbortSignal };

type Answer = (call: Call) => Promise<void>;

const answers: Record<string, Answer> = {
  'POST /v1/chat/completions': answerChat,
  'POST /v1/embeddings': answerEmbeddings,
};

async function answerChat({ state, body, response, signal }: Call): Promise<void> {
  const parsed = ChatRequest.safeParse(body);
  if (!parsed.success) return sendError(response, 400, z.prettifyError(parsed.error));
  const request = parsed.data;
  const rule = findRule(state.rules, request);
  if (rule === undefined) return sendError(response, 404, `no rule for: ${lastUserText(request)}`);

  await state.gate.pass(request, signal);
  const delayMs = state.delayMs + (rule.delayMs ?? 0);
  if (delayMs > 0) await pause(delayMs, undefined, { signal });
  if (rule.hangs === true) return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  if (rule.status !== undefined)
    return sendError(response, rule.status, `scripted status ${rule.status}`, rule.headers);

  const refusal = state.dialect.refuses?.(request);
  if (refusal) return send(response, refusal.status, refusal.body);
  const completion = completionOf(request, inDialect(state.dialect, answerOf(rule, request), request));
  const answered = state.dialect.answers?.(completion, request) ?? completion;
  if (!request.stream) return send(response, 200, answered, rule.headers);
  const events = eventsOf(completion, request.stream_options?.include_usage ?? false);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...rule.headers }).end(events);
}

/** Only what is to be read by a program is written otherwise: agents talk to people. */
function inDialect({ writes }: ServerDialect, answer: ScriptedAnswer, request: ChatRequest): ScriptedAnswer {
  const isForPrograms = writes !== undefined && /answer with one JSON object/i.test(systemText(request));
  return isForPrograms ? { ...answer, text: writes(answer.text, request) } : answer;
}

const EmbeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1)]).transform((input) => [input].flat()),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

async function answerEmbeddings({ body, response }: Call): Promise<void> {
  const parsed = EmbeddingRequest.safeParse(body);
  if (!parsed.success) return sendError(response, 400, z.prettifyError(parsed.error));
  const { model, input, encoding_format } = parsed.data;
  const data = input.map((text, index) => {
    const vector = embeddingOf(text);
    return { object: 'embedding', index, embedding: encoding_format === 'base64' ? toBase64(vector) : vector };
  });
  const tokens = Math.ceil(input.join('').length / 4);
  send(response, 200, { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

function subjectOf(body: unknown): Pick<ModelCall, 'model' | 'system' | 'user'> {
  const chat = ChatRequest.safeParse(body);
  if (chat.success) return { model: chat.data.model, system: systemText(chat.data), user: lastUserText(chat.data) };
  const embedding = EmbeddingRequest.safeParse(body);
  return { model: embedding.data?.model ?? '', system: '', user: embedding.data?.input.join('\n') ?? '' };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    // Not JSON is answered with 400 by the parse that follows.
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_exceeded' : 'invalid_request_error';
  send(response, status, { error: { message, type, code: type } }, headers);
}
