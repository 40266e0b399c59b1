import { parseJson } from '@proofmark/contracts/parse-json';
import { z } from 'zod';
import type { TypedDocument } from './operations/documents.ts';

export interface CoordinatorEndpoint {
  /** Where the coordinator is, with or without a slash at its end. */
  url: string;
  /** Asked before every request, also before each retry: a CI job's token works only once. */
  bearer: () => Promise<Sent<string>>;
  fetch?: typeof fetch;
  timeoutMs?: number;
  /** The span that asks, as a `traceparent` header of W3C trace context. */
  traceparent?: string | undefined;
  signal?: AbortSignal | undefined;
}

const GraphqlAnswer = z.looseObject({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.looseObject({ message: z.string(), extensions: z.looseObject({ code: z.string().optional() }).optional() }),
    )
    .optional(),
});
type GraphqlAnswer = z.infer<typeof GraphqlAnswer>;

const defaultTimeoutMs = 30_000;

interface Operation<Data, Variables, Answer> {
  document: TypedDocument<Data, Variables>;
  variables: Variables;
  /** What the caller wants of it. */
  read: (data: Data) => Answer;
}

/** Coordinators of another version than this client; they are sent texts from the first on that they did not know. */
const knowsOtherTexts = new WeakSet<CoordinatorEndpoint>();

/** Sends one operation once. Every failure is a value, also that of a server which is no coordinator. */
export async function sendOperation<Data, Variables, Answer>(
  endpoint: CoordinatorEndpoint,
  operation: Operation<Data, Variables, Answer>,
): Promise<Sent<Answer>> {
  const { sha256, text } = operation.document;
  const asText = { query: text };
  if (sha256 === null || knowsOtherTexts.has(endpoint)) return await sendOnce(endpoint, operation, asText);
  const sent = await sendOnce(endpoint, operation, {
    extensions: { persistedQuery: { version: 1, sha256Hash: sha256 } },
  });
  if (sent.ok || sent.error.code !== 'PERSISTED_QUERY_NOT_FOUND') return sent;
  knowsOtherTexts.add(endpoint);
  return await sendOnce(endpoint, operation, asText);
}

async function sendOnce<Data, Variables, Answer>(
  endpoint: CoordinatorEndpoint,
  { document, variables, read }: Operation<Data, Variables, Answer>,
  asked: object,
): Promise<Sent<Answer>> {
  const bearer = await endpoint.bearer();
  if (!bearer.ok) return bearer;
  const body = JSON.stringify({ operationName: document.name, ...asked, variables });
  const outgoing = { method: 'POST', path: '/graphql', type: 'application/json', body } as const;
  const answered = await sendRequest(endpoint, bearer.answer, outgoing);
  if (!answered.ok) return answered;
  const { response, text } = answered;
  const parsed = GraphqlAnswer.safeParse(parseJson(text));
  const error = errorOf(response, parsed.data);
  if (error !== null) return { ok: false, error };
  try {
    if (typeof parsed.data?.data !== 'object') throw new Error('it has no data');
    // A coordinator answers as its schema says. What something else answers cannot be read.
    return { ok: true, answer: read(parsed.data.data as Data) };
  } catch (unreadable) {
    const reason = unreadable instanceof z.ZodError ? z.prettifyError(unreadable) : reasonOf(unreadable);
    return refused('UNEXPECTED_ANSWER', `The answer to ${document.name} has another form: ${reason}`);
  }
}

type Answered = { ok: true; response: Response; text: string } | { ok: false; error: ClientError };

interface Outgoing {
  method: 'POST' | 'PUT';
  path: string;
  type: string;
  body: string | Uint8Array<ArrayBuffer>;
}

/** Sends one request with the token and reads its whole answer, whatever it is. */
async function sendRequest(
  endpoint: CoordinatorEndpoint,
  token: string,
  { method, path, type, body }: Outgoing,
): Promise<Answered> {
  const { url, fetch: send = fetch, timeoutMs = defaultTimeoutMs, traceparent, signal } = endpoint;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(`${url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        ...{ 'content-type': type, accept: 'application/json', authorization: `Bearer ${token}` },
        ...(traceparent && { traceparent }),
      },
      body,
      // A redirect could carry the token to somebody else.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return { ok: true, response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted === true) return refused('ABORTED', 'The request was given up.');
    const details = { isTransient: true, ...(isUnsent(error) && { isUnsent: true }) };
    return refused('UNREACHABLE', `No answer from ${url}: ${reasonOf(error)}`, details);
  }
}

/** Why an answer that is no success is none. */
function failureOf(response: Response, text: string): ClientError {
  // A proxy's page is no JSON: it is told apart by its status.
  const error = errorOf(response, GraphqlAnswer.safeParse(parseJson(text)).data);
  return error ?? refused('UNEXPECTED_ANSWER', `The server answered ${response.status}.`).error;
}

function errorOf(response: Response, answer: GraphqlAnswer | undefined): ClientError | null {
  const [first] = answer?.errors ?? [];
  if (first === undefined && response.ok && answer !== undefined) return null;
  const isTransient = response.status >= 500 || response.status === 429;
  const retryAfterMs = retryAfter(response.headers.get('retry-after'));
  const code = first?.extensions?.code ?? codeOf(response.status);
  const message = first?.message ?? `The server answered ${response.status} without a GraphQL answer.`;
  return { code, message, isTransient, retryAfterMs };
}

function codeOf(status: number): string {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  return status >= 500 || status === 429 ? 'UNREACHABLE' : 'UNEXPECTED_ANSWER';
}

function retryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}

const unconnected = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);

/** There was nobody to send to. */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  unconnected.has(String(error.cause.code));

/** The innermost reason: fetch only says `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it took too long';
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** A file of a case and the SHA-256 of its content. */
export interface Upload {
  sha256: string;
  content: Uint8Array<ArrayBuffer>;
}

/** 20 MB over a slow line. */
const uploadMs = 120_000;

/** Uploads a file once. One that the coordinator has already is fine, too. */
export async function uploadBlob(
  endpoint: CoordinatorEndpoint,
  { sha256, content }: Upload,
): Promise<Sent<{ created: boolean }>> {
  const bearer = await endpoint.bearer();
  if (!bearer.ok) return bearer;
  const answered = await sendRequest({ timeoutMs: uploadMs, ...endpoint }, bearer.answer, {
    method: 'PUT',
    path: `/blobs/${sha256}`,
    type: 'application/octet-stream',
    body: content,
  });
  if (!answered.ok) return answered;
  const { response, text } = answered;
  return response.ok
    ? { ok: true, answer: { created: response.status === 201 } }
    : { ok: false, error: failureOf(response, text) };
}

/** Why the coordinator gave no answer that can be used. */
export interface ClientError {
  /** `UNREACHABLE`, `UNEXPECTED_ANSWER`, or the code that the coordinator gave. */
  code: string;
  /** For people: what is wrong and, where we know it, what to do. */
  message: string;
  /** Trying the same again may help. */
  isTransient: boolean;
  /** How long the coordinator asks to wait first; null when it said nothing. */
  retryAfterMs: number | null;
  /** Nothing has left, so nothing was done. */
  isUnsent?: boolean;
}

export type Sent<Answer> = { ok: true; answer: Answer } | { ok: false; error: ClientError };

type Details = Partial<Omit<ClientError, 'code' | 'message'>>;

export function refused(code: string, message: string, details: Details = {}): { ok: false; error: ClientError } {
  return { ok: false, error: { code, message, isTransient: false, retryAfterMs: null, ...details } };
}
