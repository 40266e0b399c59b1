import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Sha256 } from '@proofmark/contracts/file-content';
import { type Caller, mayDo } from '../access/caller.ts';
import type { BlobLinks } from '../blobs/blob-links.ts';
import { readBlob, storeBlob } from '../blobs/stored-blobs.ts';
import { isLedgerDown } from '../database/ledger-down.ts';
import type { Database } from '../database/transactions.ts';
import type { Identity } from '../graphql/context.ts';
import { challenge, type Identify } from './identify.ts';
import { readBody, throwAwayBody } from './read-body.ts';
import { refuse, respond, securityHeaders } from './respond.ts';
import type { Route } from './serve.ts';

const largestBlobBytes = 20 * 1024 * 1024;
/** Each holds its whole content in memory. */
const uploadsAtOnce = 8;

type BlobOptions = {
  database: Database;
  identify: Identify<Identity>;
  links: BlobLinks;
  /** What a tenant may keep. */
  quotaBytes: number;
};

/** `/blobs/<sha256>`: PUT keeps a file of a case for the caller's tenant, GET hands it to whoever has a signed URL. */
export function blobRoute(options: BlobOptions): Route {
  const putInTurn = limited(uploadsAtOnce, (request, response, digest) => upload(request, response, digest, options));
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://proofmark');
    const digest = Sha256.safeParse(url.pathname.slice('/blobs/'.length)).data;
    if (digest === undefined) return respond(response, { status: 404, body: 'Not found\n' });
    try {
      if (request.method === 'GET') await download(response, digest, url.searchParams, options);
      else if (request.method === 'PUT') await putInTurn(request, response, digest);
      else refuseMethod(response);
    } catch (error) {
      if (!isLedgerDown(error)) throw error;
      refuseForNow(response, '5');
    }
  };
}

type Upload = (request: IncomingMessage, response: ServerResponse, digest: string) => Promise<void>;

/** Lets so many uploads through at the same time and asks the others to come again. */
function limited(most: number, work: Upload): Upload {
  let running = 0;
  return async (request, response, digest) => {
    if (running >= most) return refuseForNow(response, '1');
    running += 1;
    try {
      await work(request, response, digest);
    } finally {
      running -= 1;
    }
  };
}

async function upload(
  request: IncomingMessage,
  response: ServerResponse,
  digest: string,
  { database, identify, quotaBytes }: BlobOptions,
): Promise<void> {
  // Not waited for: a caller who is refused holds no turn while he goes on writing.
  const refuseWith = (status: number, code: string, message: string, headers: OutgoingHttpHeaders = {}) =>
    void throwAwayBody(request).then(() => refuse(response, { status, code, message, headers }));
  if (request.headers['content-encoding'] !== undefined)
    return refuseWith(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the file as it is, not compressed.');
  const identified = await identify(request);
  if (!identified.ok)
    return refuseWith(identified.status, identified.code, identified.message, challenge(identified.status));
  const caller = writerOf(identified.identity);
  if (caller === null) return refuseWith(403, 'FORBIDDEN', 'This token may not upload files.');
  const hash = createHash('sha256');
  const body = await readBody(request, largestBlobBytes, { onChunk: (bytes) => hash.update(bytes) });
  if (!body.ok && body.reason === 'aborted') return;
  if (!body.ok) return refuseWith(413, 'PAYLOAD_TOO_LARGE', 'The file is larger than 20 MB.');
  if (hash.digest('hex') !== digest)
    return refuse(response, { status: 400, code: 'WRONG_DIGEST', message: 'The content has another SHA-256.' });
  const stored = await storeBlob(database, caller, { digest, content: body.bytes }, quotaBytes);
  if (stored.ok) return respond(response, { status: stored.created ? 201 : 200, body: '' });
  const message = `The files of the tenant would be larger than ${quotaBytes} bytes together; ${stored.usedBytes} are used.`;
  refuse(response, { status: 413, code: 'OVER_QUOTA', message });
}

function writerOf(identity: Identity): Caller | null {
  return identity.kind === 'caller' && mayDo(identity.caller, 'runs:write') ? identity.caller : null;
}

async function download(
  response: ServerResponse,
  digest: string,
  query: URLSearchParams,
  { database, links }: BlobOptions,
): Promise<void> {
  const grant = links.read(digest, query);
  const content = grant === null ? null : await readBlob(database, digest, grant);
  // Nobody learns whether it is the signature, the time or the file that is missing.
  if (content === null)
    return refuse(response, { status: 403, code: 'FORBIDDEN', message: 'This URL is not valid, or not any more.' });
  response.writeHead(200, {
    ...securityHeaders,
    'content-type': 'application/octet-stream',
    'content-length': content.length,
    'content-disposition': `attachment; filename="${digest}"`,
    'content-security-policy': `default-src 'none'; sandbox`,
  });
  response.end(content);
}

const refuseMethod = (response: ServerResponse) =>
  refuse(response, {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'Send a PUT request.',
    headers: { allow: 'GET, PUT' },
  });

const refuseForNow = (response: ServerResponse, retryAfterS: string) =>
  refuse(response, {
    status: 503,
    code: 'UNAVAILABLE',
    message: 'No file can be taken at the moment. Try again later.',
    headers: { 'retry-after': retryAfterS },
  });
