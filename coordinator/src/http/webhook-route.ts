import type { IncomingMessage } from 'node:http';
import { parseJson } from '@proofmark/process/parse-json';
import { isLedgerDown } from '../database/ledger-down.ts';
import { readBody } from './read-body.ts';
import { respond } from './respond.ts';
import type { Route } from './serve.ts';

const maxBytes = 25 * 1024 * 1024;

interface Webhook {
  event: string;
  deliveryId: string;
  payload: unknown;
}

type WebhookOptions = {
  /** Whether the forge has signed this text. */
  isSigned: (text: string, signature: unknown) => Promise<boolean>;
  /** Acts on a delivery. It may be called twice for the same one. */
  receive: (webhook: Webhook) => Promise<void>;
};

/** `/webhooks/github`: whatever is signed by the forge is accepted, also what we do not know; nothing else has any effect. */
export function webhookRoute(options: WebhookOptions): Route {
  return async (request, response) => {
    const { status, body, headers = {} } = await accept(request, options);
    respond(response, { status, body: `${body}\n`, headers });
  };
}

type Answer = { status: number; body: string; headers?: Record<string, string> };

async function accept(request: IncomingMessage, { isSigned, receive }: WebhookOptions): Promise<Answer> {
  if (request.method !== 'POST') return { status: 405, body: 'Send a POST request.', headers: { allow: 'POST' } };
  const isJson = /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
  if (!isJson) return { status: 415, body: 'Choose the content type application/json.' };
  const body = await readBody(request, maxBytes);
  if (!body.ok) return { status: 413, body: 'Too large.' };
  const text = body.bytes.toString('utf8');
  const isTrue = await isSigned(text, request.headers['x-hub-signature-256']);
  if (!isTrue) return { status: 401, body: 'The signature is missing or wrong.' };
  const payload = parseJson(text);
  if (payload === undefined) return { status: 400, body: 'Not JSON.' };
  const event = headerOf(request.headers['x-github-event']);
  return await handOver({ event, deliveryId: headerOf(request.headers['x-github-delivery']), payload }, receive);
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
