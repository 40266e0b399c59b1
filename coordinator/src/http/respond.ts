import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** For what a moment can mend. */
export const retrySoon: OutgoingHttpHeaders = { 'retry-after': '2' };

type Answer = { status: number; body: string | Buffer; type?: string; headers?: OutgoingHttpHeaders };

/** Sends a whole answer; nothing happens when one was already begun. */
export function respond(
  response: ServerResponse,
  { status, body, type = 'text/plain; charset=utf-8', headers = {} }: Answer,
): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    ...securityHeaders,
    'content-type': type,
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

type Refusal = { status: number; code: string; message: string; headers?: OutgoingHttpHeaders };

/** Refuses a GraphQL request before it is executed, in the shape of a GraphQL answer. */
export function refuse(response: ServerResponse, { status, code, message, headers = {} }: Refusal): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  respond(response, { status, body, type: 'application/json; charset=utf-8', headers });
}

/** Set on every answer, whatever its path and status. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
} as const;
