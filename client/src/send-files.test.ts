import { createServer } from 'node:http';
import type { StartRequest } from '@proofmark/contracts/start-run-input';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedRun, startedOf } from './operations/refusal.ts';
import { refused, type Sent, type Upload, uploadBlob } from './send-operation.ts';
import { startRunWithFiles } from './send-run.ts';

const sha256 = 'a'.repeat(64);
const other = 'b'.repeat(64);
const input: StartRequest = {
  idempotencyKey: 'k',
  trigger: { triggeredBy: 'CI' },
  files: [],
  suitePaths: [],
  caseFiles: [
    { path: 'docs/a.txt', sha256 },
    { path: 'docs/b.txt', sha256: other },
  ],
};
const contentOf = (path: string) => new TextEncoder().encode(`content of ${path}`);

const missing = (digests: string[]): StartedRun =>
  startedOf({ __typename: 'MissingBlobs', code: 'MISSING_BLOBS', message: 'upload them', digests });
const started: StartedRun = { ok: true, runId: 'r', created: true, isDelayed: false, hasApp: false, warnings: [] };

describe('a run with files', () => {
  /** A coordinator that knows what was uploaded. */
  function coordinator(uploadAnswer: Sent<{ created: boolean }> = { ok: true, answer: { created: true } }) {
    const uploads: Upload[] = [];
    const keys: string[] = [];
    return {
      uploads,
      keys,
      startRun: async ({ idempotencyKey }: StartRequest): Promise<Sent<StartedRun>> => {
        keys.push(idempotencyKey);
        const lacking = [sha256].filter((digest) => !uploads.some((upload) => upload.sha256 === digest));
        return { ok: true, answer: lacking.length > 0 ? missing(lacking) : started };
      },
      uploadBlob: async (upload: Upload) => {
        if (uploadAnswer.ok) uploads.push(upload);
        return uploadAnswer;
      },
    };
  }

  test('uploads what is missing, and only that, and asks again with the same key', async () => {
    const client = coordinator();
    const sent = await startRunWithFiles(client, input, async (path) => contentOf(path));
    expect(sent).toEqual({ ok: true, answer: started });
    expect(client.uploads).toEqual([{ sha256, content: contentOf('docs/a.txt') }]);
    expect(client.keys).toEqual(['k', 'k']);
  });

  test('says what is missing when a file has gone', async () => {
    const sent = await startRunWithFiles(coordinator(), input, async () => null);
    expect(sent).toMatchObject({ answer: { ok: false, refusal: { code: 'MISSING_BLOBS', missingBlobs: [sha256] } } });
  });

  test('ends with the reason why a file was not taken', async () => {
    const over = refused('OVER_QUOTA', 'too much');
    expect(await startRunWithFiles(coordinator(over), input, async (path) => contentOf(path))).toEqual(over);
  });
});

describe('an upload', () => {
  let answer = { status: 201, body: '' };
  const seen: { method: string | undefined; url: string | undefined; token: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: string[] = [];
    request.on('data', (chunk) => chunks.push(String(chunk)));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, token: headers.authorization, body: chunks.join('') });
      response.writeHead(answer.status).end(answer.body);
    });
  });
  beforeEach(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const upload = () => {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const bearer = async () => ({ ok: true as const, answer: 'pmk_token' });
    return uploadBlob({ url, bearer }, { sha256, content: contentOf('x') });
  };

  test('puts the content under its digest, with the token', async () => {
    expect(await upload()).toEqual({ ok: true, answer: { created: true } });
    expect(seen.at(-1)).toEqual({
      method: 'PUT',
      url: `/blobs/${sha256}`,
      token: 'Bearer pmk_token',
      body: 'content of x',
    });
    answer = { status: 200, body: '' };
    expect(await upload()).toEqual({ ok: true, answer: { created: false } });
  });

  test('that is refused has the code and the words of the coordinator', async () => {
    answer = {
      status: 413,
      body: JSON.stringify({ errors: [{ message: 'too much', extensions: { code: 'OVER_QUOTA' } }] }),
    };
    expect(await upload()).toMatchObject({ ok: false, error: { code: 'OVER_QUOTA', isTransient: false } });
    answer = { status: 503, body: '' };
    expect(await upload()).toMatchObject({ ok: false, error: { isTransient: true } });
  });
});
