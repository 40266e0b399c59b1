import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { nestsAtMost } from '@proofmark/process/json-nesting';
import { inSpan, type SpanSketch } from '@proofmark/process/tracing';
import { MAX_BODY_BYTES } from '../graphql/limits/document-limits.ts';
import type { AskedGraphql } from '../graphql/yoga.ts';
import { challenge, type Identify } from './identify.ts';
import { readBody, throwAwayBody } from './read-body.ts';
import { refuse, respond, securityHeaders } from './respond.ts';
import type { Route } from './serve.ts';

/** A limit of one request, before anything of it is parsed. */
const maxNesting = 64;

type EndpointOptions<Identity> = {
  /** Origins that browsers may call from; others get no permission of any kind. */
  origins: readonly string[];
  identify: Identify<Identity>;
  execute: (asked: AskedGraphql, identity: Identity) => Promise<Response>;
};

/** `/graphql`: method, content type, token, size and form are checked in this order, then the request is executed. */
export function graphqlEndpoint<Identity>({ origins, identify, execute }: EndpointOptions<Identity>): Route {
  return async (request, response) => {
    const cors = corsHeaders(request, origins);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === 'OPTIONS' && 'access-control-allow-origin' in cors)
      return respond(response, { status: 204, body: '' });
    if (refuseByHead(request, response)) return;

    const identified = await identify(request);
    if (!identified.ok) {
      await throwAwayBody(request);
      return refuse(response, { ...identified, headers: challenge(identified.status) });
    }

    const body = await readRequest(request, response);
    if (body === undefined) return;
    const gone = new AbortController();
    // A response closes after each answer, too, and what an abort is told with is an error with its stack.
    response.once('close', () => response.writableFinished || gone.abort());
    const asked = { body, accept: request.headers.accept ?? 'application/json', signal: gone.signal };
    const answer = await inSpan(spanOf(request), () => execute(asked, identified.identity));
    await sendResponse(answer, response);
  };
}

/** Below the span of whoever asks, where it names one. */
function spanOf({ headers: { traceparent } }: IncomingMessage): SpanSketch {
  const parent = typeof traceparent === 'string' ? traceparent : null;
  return { name: 'POST /graphql', kind: 'server', parent, attributes: { 'http.request.method': 'POST' } };
}

function corsHeaders(request: IncomingMessage, origins: readonly string[]): Record<string, string> {
  const origin = request.headers.origin;
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type',
    vary: 'Origin',
  };
}

function refuseByHead(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'POST') {
    refuse(response, {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      message: 'Send a POST request.',
      headers: { allow: 'POST' },
    });
    return true;
  }
  const type = request.headers['content-type'] ?? '';
  // Forms and plain text are what a browser sends to other sites without asking first.
  const isJson = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type);
  if (isJson && request.headers['content-encoding'] === undefined) return false;
  refuse(response, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send application/json, not compressed.' });
  return true;
}

async function readRequest(request: IncomingMessage, response: ServerResponse): Promise<string | undefined> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!body.ok) {
    if (body.reason === 'too-large')
      refuse(response, { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 8 MB.' });
    return undefined;
  }
  const problem = problemOf(body.bytes);
  if (problem === undefined) return body.bytes.toString('utf8');
  refuse(response, { status: 400, code: 'BAD_REQUEST', message: problem });
  return undefined;
}

function problemOf(bytes: Buffer): string | undefined {
  if (!nestsAtMost(maxNesting, bytes)) return `The body nests deeper than ${maxNesting}.`;
  const start = bytes.subarray(0, 64).toString('utf8').trimStart();
  return start.startsWith('[') ? 'Send one operation at a time, not a list.' : undefined;
}

/** A client that reads slower than we write is cut off at this many waiting bytes; it resumes by subscribing again. */
const maxWaitingBytes = 1024 * 1024;

/** Sends a fetch `Response`, and stops the source of a stream when the client goes away. */
async function sendResponse(from: Response, to: ServerResponse): Promise<void> {
  const type = from.headers.get('content-type') ?? '';
  // JSON is a text already: as a stream it would be cut, read and written in pieces.
  if (type.startsWith('application/'))
    return respond(to, { status: from.status, body: await from.text(), headers: Object.fromEntries(from.headers) });
  const isStream = type.startsWith('text/event-stream');
  to.writeHead(from.status, { ...Object.fromEntries(from.headers), ...securityHeaders });
  if (from.body === null) {
    to.end();
    return;
  }
  const reader = from.body.getReader();
  to.once('close', () => void reader.cancel().catch(() => undefined)); // ended already
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (to.destroyed) return;
    const hasRoom = to.write(part.value);
    if (isStream && to.writableLength > maxWaitingBytes) return void to.destroy();
    if (!hasRoom && !isStream) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }
  to.end();
}
