import { chmod, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileInput } from '@proofmark/contracts/test-case';
import { expect, test } from 'vitest';
import { createFileReader } from './file-reader.ts';
import { serveFiles } from './file-server.fixture.ts';
import { aPdf, aPng } from './sample-documents.fixture.ts';

const { signal } = new AbortController();
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

async function aFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'files-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test('a local file has its text, its facts and no cached path (S0-17, S0-20, S0-45, S0-47, S0-48, S0-49)', async () => {
  await using root = await aFolder();
  await writeFile(join(root.path, 'a.pdf'), aPdf([['Hello']]));
  const reader = createFileReader({ root: root.path, allowedOrigins: new Set(), clock });
  const file = FileInput.parse({ path: 'a.pdf', type: 'pdf', description: 'The rules', pages: [1] });
  const startedMs = performance.now();

  const { facts, image } = await reader.read(file, signal);

  expect(facts).toEqual({
    original: file,
    markdown_content: '## Page 1\n\nHello',
    metadata: {
      size_bytes: aPdf([['Hello']]).length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      format: 'pdf',
      pages: 1,
    },
    cached_path: null,
    processing_time_ms: expect.any(Number),
    error: null,
  });
  expect(facts.processing_time_ms).toBeLessThanOrEqual(performance.now() - startedMs);
  expect(image).toBeNull();
});

test('a picture goes along as bytes with its type', async () => {
  await using root = await aFolder();
  await writeFile(join(root.path, 'shop.png'), aPng(2, 3));
  const reader = createFileReader({ root: root.path, allowedOrigins: new Set(), clock });

  const { facts, image } = await reader.read({ path: 'shop.png', type: 'image' }, signal);

  expect(facts).toMatchObject({
    markdown_content: 'Image: shop.png\nSize: 2 × 3 pixels',
    metadata: { width: 2, height: 3 },
  });
  expect(image).toEqual({ mediaType: 'image/png', bytes: aPng(2, 3) });
});

test('what goes wrong is in the facts and names the file, never its content (S0-50)', async () => {
  await using root = await aFolder();
  await writeFile(join(root.path, 'broken.pdf'), 'not a pdf, but a secret');
  const reader = createFileReader({ root: root.path, allowedOrigins: new Set(), clock });

  const broken = await reader.read({ path: 'broken.pdf', type: 'pdf' }, signal);
  const missing = await reader.read({ path: 'missing.pdf', type: 'pdf' }, signal);

  expect(broken.facts).toMatchObject({
    error: 'broken.pdf: the file is not a PDF (type_mismatch)',
    markdown_content: '',
    metadata: { size_bytes: 23 },
  });
  expect(missing.facts).toMatchObject({ error: 'missing.pdf: `path` is not there', metadata: {} });
});

test('a runner without the repository says what to do instead', async () => {
  const reader = createFileReader({ allowedOrigins: new Set(), clock });

  const { facts } = await reader.read({ path: 'a.pdf', type: 'pdf' }, signal);

  expect(facts.error).toContain('this runner has no copy of the repository');
});

test('a URL is downloaded once and kept, also for other pages of the same file (S0-18, S0-24, S0-25, S0-48)', async () => {
  await using cache = await aFolder();
  await using server = await serveFiles({ '/a.pdf?sig=1': aPdf([['first'], ['second']]) });
  const open = () => createFileReader({ cacheFolder: cache.path, allowedOrigins: new Set([server.origin]), clock });
  const file = (page: number) => ({
    url: `${server.origin}/a.pdf?sig=1`,
    type: 'pdf' as const,
    pages: [page],
    cache: true,
  });

  const first = await open().read(file(1), signal);
  const second = await open().read(file(2), signal);
  const again = await open().read(file(1), signal);

  expect([first, second, again].map(({ facts }) => facts.markdown_content)).toEqual([
    '## Page 1\n\nfirst',
    '## Page 2\n\nsecond',
    '## Page 1\n\nfirst',
  ]);
  expect(server.seen).toHaveLength(1);
  expect((await stat(first.facts.cached_path ?? '')).size).toBe(first.facts.metadata.size_bytes);
  expect(first.facts.original).toEqual({ url: `${server.origin}/a.pdf?sig=1`, type: 'pdf', pages: [1] });
});

test('a download older than a day is fetched again', async () => {
  await using cache = await aFolder();
  await using server = await serveFiles({ '/a': 'text' });
  const reader = createFileReader({ cacheFolder: cache.path, allowedOrigins: new Set([server.origin]), clock });
  const file = { url: `${server.origin}/a`, type: 'text' as const };
  const { facts } = await reader.read(file, signal);
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(facts.cached_path ?? '', yesterday, yesterday);

  await reader.read(file, signal);

  expect(server.seen).toHaveLength(2);
});

test('`cache: false` neither reads nor writes (S0-24)', async () => {
  await using cache = await aFolder();
  await using server = await serveFiles({ '/a': 'text' });
  const reader = createFileReader({ cacheFolder: cache.path, allowedOrigins: new Set([server.origin]), clock });
  const file = { url: `${server.origin}/a`, type: 'text' as const, cache: false };

  const { facts } = await reader.read(file, signal);
  await reader.read(file, signal);

  expect(server.seen).toHaveLength(2);
  expect(facts.cached_path).toBeNull();
  await expect(stat(join(cache.path, 'markdown'))).rejects.toThrow('ENOENT');
});

test('repetitions that start together share one download', async () => {
  await using cache = await aFolder();
  await using server = await serveFiles({ '/a': 'text' });
  const reader = createFileReader({ cacheFolder: cache.path, allowedOrigins: new Set([server.origin]), clock });
  const file = { url: `${server.origin}/a`, type: 'text' as const };

  const read = await Promise.all([1, 2, 3, 4].map(() => reader.read(file, signal)));

  expect(read.map(({ facts }) => facts.markdown_content)).toEqual(['text', 'text', 'text', 'text']);
  expect(server.seen).toHaveLength(1);
});

test('a failed download names the place without its query, which may hold a signature', async () => {
  await using server = await serveFiles({});
  const reader = createFileReader({ allowedOrigins: new Set([server.origin]), clock });

  const { facts } = await reader.read({ url: `${server.origin}/a.pdf?token=secret`, type: 'pdf' }, signal);

  expect(facts.error).toBe(`${server.origin}/a.pdf: \`url\` was answered with status 404`);
});

test('a cache folder that others may write to is not used', async () => {
  await using place = await aFolder();
  await using server = await serveFiles({ '/a': 'text' });
  const cacheFolder = join(place.path, 'shared');
  await mkdir(cacheFolder);
  await chmod(cacheFolder, 0o777);
  const reader = createFileReader({ cacheFolder, allowedOrigins: new Set([server.origin]), clock });

  const { facts } = await reader.read({ url: `${server.origin}/a`, type: 'text' }, signal);

  expect(facts).toMatchObject({ markdown_content: 'text', cached_path: null });
});
