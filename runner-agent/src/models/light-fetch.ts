import type { Dispatcher } from 'undici';
import { request } from 'undici';
import { z } from 'zod';
import { isTooDeep } from './json-depth.ts';

const largestBody = 8 * 1024 * 1024;
const idleMs = 15_000;
/** The SDK reads these and nothing else; copying every header costs more than the rest of the call. */
const readHeaders = ['content-type', 'content-length', 'retry-after', 'retry-after-ms', 'x-request-id'] as const;
const SentBody = z.string().nullish();

/** The answer broke a rule of ours before anyone could read it. */
export class RefusedAnswer extends Error {
  readonly reason: 'too_large' | 'too_deep' | 'redirect' | 'encoding' | 'not_json';

  constructor(reason: RefusedAnswer['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * A `fetch` for the openai SDK over undici: about half the CPU of the global one. Redirects and compressed answers are
 * errors, the body is counted while it is read, and 15 s without a byte end it. Not for streams.
 */
export function lightFetch(dispatcher: Dispatcher): typeof fetch {
  return async (input, init = {}) => {
    const url = String(input instanceof Request ? input.url : input);
    const answer = await request(url, {
      dispatcher,
      method: init.method === 'GET' ? 'GET' : 'POST',
      headers: sentHeaders(init.headers),
      body: SentBody.parse(init.body) ?? null,
      signal: init.signal ?? null,
      headersTimeout: 0,
      bodyTimeout: idleMs,
    });
    // Nobody may be reading when the call is aborted; without a listener that would end the process.
    answer.body.on('error', () => undefined);
    const refusal = refuse(answer);
    if (refusal) {
      answer.body.destroy();
      throw refusal;
    }
    return asResponse(answer, url);
  };
}

function refuse({ statusCode, headers }: Dispatcher.ResponseData): RefusedAnswer | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    return new RefusedAnswer('redirect', `status ${statusCode} redirects elsewhere, which is not followed`);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return new RefusedAnswer('encoding', `the answer is compressed (${String(encoding)}), which was not asked for`);
  }
  const type = String(headers['content-type'] ?? 'nothing');
  if (statusCode >= 300 || /^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return undefined;
  return new RefusedAnswer('not_json', `the provider answered ${type} instead of JSON`);
}

function sentHeaders(given: RequestInit['headers']): Headers {
  const headers = given instanceof Headers ? given : new Headers(given);
  headers.set('accept-encoding', 'identity');
  return headers;
}

function asResponse(answer: Dispatcher.ResponseData, url: string): Response {
  const known = new Map<string, string>();
  for (const name of readHeaders) {
    const value = answer.headers[name];
    if (value !== undefined) known.set(name, String(value));
  }
  const headers = { get: (name: string) => known.get(name) ?? null, entries: () => known.entries() };
  const text = () => readText(answer.body);
  const response = {
    ok: answer.statusCode < 300,
    status: answer.statusCode,
    statusText: '',
    url,
    headers,
    body: null,
    redirected: false,
    text,
    json: async () => JSON.parse(await text()) as unknown,
  };
  return response as unknown as Response; // the SDK uses only these members for answers that are not streams
}

/** Listening costs half of what a loop over the chunks does, which counts where nothing else takes time. */
async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= largestBody) return;
      reject(new RefusedAnswer('too_large', 'response too large: more than 8 MB'));
      // The rest is never received.
      body.destroy();
    });
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => reject(new Error('the connection was closed in the middle of the answer')));
  });
  const text = Buffer.concat(chunks, size).toString('utf8');
  if (isTooDeep(text)) throw new RefusedAnswer('too_deep', 'the answer is nested too deeply');
  return text;
}
