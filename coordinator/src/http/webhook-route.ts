import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { parseJson } from '@proofmark/contracts/parse-json';
import { isLedgerDown } from '../database/ledger-down.ts';
import { bodyRoom, readBody, throwAwayBody } from './read-body.ts';
import { respond, retrySoon } from './respond.ts';
import type { Route } from './serve.ts';

const maxBytes = 25 * 1024 * 1024;
/** Of all bodies together whose signature is still to be proved: their senders may be anybody. */
const roomForUnproved = 2 * maxBytes;

interface Webhook {
  /** The server that has signed it. */
  host: string;
  event: string;
  deliveryId: string;
  payload: unknown;
}

interface WebhookSender {
  host: string;
  /** Whether this header is a signature of the server for a text; null where it is none for any. */
  signature: (header: unknown) => ((text: string) => Promise<boolean>) | null;
}

type WebhookOptions = {
  /** The servers that send webhooks. Each has secrets that no other one has. */
  servers: readonly WebhookSender[];
  /** Acts on a delivery. It may be called twice for the same one. */
  receive: (webhook: Webhook) => Promise<void>;
};

/** `/webhooks/github`: whatever is signed by the forge is accepted, also what we do not know; nothing else has any effect. */
export function webhookRoute(options: WebhookOptions): Route {
  const room = bodyRoom(roomForUnproved);
  return async (request, response) => {
    const { status, body, headers = {} } = await accept(request, { ...options, room });
    respond(response, { status, body: `${body}\n`, headers });
  };
}

type Answer = { status: number; body: string; headers?: OutgoingHttpHeaders };

const unsigned: Answer = { status: 401, body: 'The signature is missing or wrong.' };

type Accepting = WebhookOptions & { room: ReturnType<typeof bodyRoom> };

async function accept(request: IncomingMessage, { servers, receive, room }: Accepting): Promise<Answer> {
  if (request.method !== 'POST') return { status: 405, body: 'Send a POST request.', headers: { allow: 'POST' } };
  const isJson = /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
  if (!isJson) return { status: 415, body: 'Choose the content type application/json.' };
  const senders = servers.flatMap(({ host, signature }) => {
    const isSigned = signature(request.headers['x-hub-signature-256']);
    return isSigned === null ? [] : [{ host, isSigned }];
  });
  if (senders.length === 0) {
    await throwAwayBody(request);
    return unsigned;
  }
  const body = await readBody(request, maxBytes, { room });
  if (!body.ok)
    return body.reason === 'no-room'
      ? { status: 503, body: 'Try again later.', headers: retrySoon }
      : { status: 413, body: 'Too large.' };
  const text = body.bytes.toString('utf8');
  const host = await signerOf(text, senders);
  if (host === null) return unsigned;
  const payload = parseJson(text);
  if (payload === undefined) return { status: 400, body: 'Not JSON.' };
  const event = headerOf(request.headers['x-github-event']);
  const deliveryId = headerOf(request.headers['x-github-delivery']);
  return await handOver({ host, event, deliveryId, payload }, receive);
}

type Sender = { host: string; isSigned: (text: string) => Promise<boolean> };

/** The server whose secret has signed it. No header is asked: github.com names itself in none, and anybody may name another. */
async function signerOf(text: string, senders: readonly Sender[]): Promise<string | null> {
  for (const { host, isSigned } of senders) if (await isSigned(text)) return host;
  return null;
}

async function handOver(webhook: Webhook, receive: WebhookOptions['receive']): Promise<Answer> {
  try {
    await receive(webhook);
    return { status: 202, body: 'Accepted.' };
  } catch (error) {
    if (!isLedgerDown(error)) throw error;
    return { status: 503, body: 'Try again later.', headers: { 'retry-after': '5' } };
  }
}

function headerOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value.slice(0, 200) : '';
}
