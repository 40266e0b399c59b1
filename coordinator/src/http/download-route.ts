import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../database/transactions.ts';
import type { DownloadLinks } from '../graphql/runs/download-links.ts';
import { exportedBy } from '../graphql/runs/downloads.ts';
import { exportTypes } from '../graphql/suite-runs/export-formats.ts';
import { exportResults } from '../graphql/suite-runs/export-results.ts';
import { refuse, respond, securityHeaders } from './respond.ts';
import type { Route } from './serve.ts';

const refusals = {
  invalid: { status: 403, code: 'FORBIDDEN', message: 'This URL is not valid, or not any more. Ask for a new one.' },
  tooLarge: {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'A page would hold too many test runs. Ask for CSV, JSON lines or JUnit.',
  },
} as const;

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** `/downloads/<file>`: the results of a run to whoever has a signed link, written as they are read. */
export function downloadRoute({ database, links }: { database: Database; links: DownloadLinks }): Route {
  return async (request, response) => {
    if (!methods.has(request.method ?? ''))
      return respond(response, { status: 405, body: 'Send a GET request.\n', headers: { allow: 'GET, HEAD' } });
    const url = new URL(request.url ?? '/', 'http://proofmark');
    const file = url.pathname.slice('/downloads/'.length);
    const grant = links.read(file, url.searchParams);
    const exported = grant && (await exportedBy(database, grant));
    if (exported === 'TOO_LARGE') return refuse(response, refusals.tooLarge);
    if (grant === null || exported === null) return refuse(response, refusals.invalid);
    response.writeHead(200, {
      ...securityHeaders,
      'content-type': exportTypes[grant.format].type,
      'content-disposition': `attachment; filename="${file}"`,
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; sandbox`,
    });
    // Whoever asks first learns what would come of it, and nothing is read.
    const results = request.method === 'HEAD' ? [] : inBlocks(exportResults(database, exported, grant.format));
    // Whoever goes away ends the reading.
    await pipeline(Readable.from(results), response).catch(() => response.destroy());
  };
}

const blockCharacters = 64 * 1024;

/** Lines put together, so that a long export is few writes. */
async function* inBlocks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const piece of pieces) {
    block += piece;
    if (block.length < blockCharacters) continue;
    yield block;
    block = '';
  }
  yield block;
}
