import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileReader } from './file-reader.ts';
import { serveFiles } from './file-server.fixture.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const { signal } = new AbortController();
const text = 'We open at 9.';
const sha256 = createHash('sha256').update(text).digest('hex');
const file = { path: 'docs/hours.txt', type: 'text' as const };

let cacheFolder: string;
beforeEach(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'proofmark-sent-'));
});
afterEach(() => rm(cacheFolder, { recursive: true }));

const readerOf = () => createFileReader({ cacheFolder, allowedOrigins: new Set(), clock });
const sentFrom = (origin: string, path = '/blob') => [{ path: file.path, sha256, url: `${origin}${path}` }];

describe('a local file that was sent with the run', () => {
  test('is fetched once, also for several test runs at the same moment, and shown like one of the repository', async () => {
    await using server = await serveFiles({ '/blob': text });
    const sent = sentFrom(server.origin);
    const reader = readerOf();
    const both = await Promise.all([reader.read(file, signal, sent), reader.read(file, signal, sent)]);
    const later = await readerOf().read(file, signal, sent);
    for (const { facts } of [...both, later])
      expect(facts).toMatchObject({ error: null, markdown_content: text, cached_path: null, metadata: { sha256 } });
    expect(server.seen).toEqual(['/blob']);
  });

  test('is asked for again when the coordinator is away for a moment', async () => {
    let asked = 0;
    const flaky = (answer: ServerResponse) => {
      asked += 1;
      answer.statusCode = asked === 1 ? 503 : 200;
      answer.end(text);
    };
    await using server = await serveFiles({ '/blob': flaky });
    const { facts } = await readerOf().read(file, signal, sentFrom(server.origin));
    expect([facts.error, asked]).toEqual([null, 2]);
  });

  test('must be the content that was meant, from the network and from the cache', async () => {
    await using server = await serveFiles({ '/other': 'We open at 10.', '/blob': text });
    const wrong = await readerOf().read(file, signal, sentFrom(server.origin, '/other'));
    expect(wrong.facts.error).toBe('docs/hours.txt: `path` came from the coordinator with another content');

    await readerOf().read(file, signal, sentFrom(server.origin));
    const downloads = join(cacheFolder, 'downloads');
    for (const name of await readdir(downloads)) await writeFile(join(downloads, name), 'something else');
    const again = await readerOf().read(file, signal, sentFrom(server.origin));
    expect(again.facts).toMatchObject({ error: null, markdown_content: text });
  });

  test('is not fetched from where the coordinator would redirect to (S4)', async () => {
    await using elsewhere = await serveFiles({ '/blob': text });
    const redirect = (answer: ServerResponse) =>
      void answer.writeHead(302, { location: `${elsewhere.origin}/blob` }).end();
    await using server = await serveFiles({ '/blob': redirect });
    const { facts } = await readerOf().read(file, signal, sentFrom(server.origin));
    expect(facts.error).toBe('docs/hours.txt: `path` could not be fetched from the coordinator');
    expect(elsewhere.seen).toEqual([]);
  });

  test('that is not among them says so', async () => {
    const { facts } = await readerOf().read(
      { ...file, path: 'docs/other.txt' },
      signal,
      sentFrom('http://127.0.0.1:9'),
    );
    expect(facts.error).toContain('the file did not come with the run');
  });
});
