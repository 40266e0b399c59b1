import type { ServerResponse } from 'node:http';
import { guardedAgent, type Resolve } from '@proofmark/process/guarded-agent';
import { checkUrl } from '@proofmark/process/public-address';
import { expect, test } from 'vitest';
import { downloadFile } from './download-file.ts';
import { serveFiles } from './file-server.fixture.ts';

const allowed = new Set(['http://127.0.0.1:8080']);

test.each([
  'https://example.com/a.pdf',
  'https://example.com./a.pdf',
  'https://93.184.216.34/x',
  'https://[2606:4700::1111]/x',
])('%s may be fetched', (url) => {
  expect(checkUrl(url, allowed)).toMatchObject({ ok: true, isTrusted: false });
});

test.each([
  'not a url',
  'file:///etc/passwd',
  'ftp://example.com/a',
  'data:text/plain,x',
  'http://example.com/a.pdf',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://example.com:8443/',
  'http://127.0.0.1/',
  'http://127.0.0.1:8081/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://１２７.0.0.1/',
  'https://0.0.0.0/',
  'https://10.1.2.3/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:7f00:1::]/',
  'https://[fc00::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://localhost/',
  'https://localhost./',
  'https://api.localhost/',
  'https://intranet/',
  'https://metadata.google.internal/',
  'https://metadata.google.internal./',
  'https://METADATA/',
])('%s is refused before anything is connected to (S1, S3)', (url) => {
  expect(checkUrl(url, allowed).ok).toBe(false);
});

test('an origin that the operator names may be plain, private and on any port, but never with a password', () => {
  expect(checkUrl('http://127.0.0.1:8080/a', allowed)).toMatchObject({ ok: true, isTrusted: true });
  expect(checkUrl('http://u:p@127.0.0.1:8080/a', allowed).ok).toBe(false);
});

const { signal } = new AbortController();
const failed = (part: string) => ({ ok: false, message: expect.stringContaining(part) });

test('a file is fetched whole, without cookies, credentials or compression', async () => {
  await using server = await serveFiles({ '/a?sig=1': 'content' });

  const fetched = await downloadFile(`${server.origin}/a?sig=1`, { allowedOrigins: new Set([server.origin]), signal });

  expect(fetched).toEqual({ ok: true, bytes: Buffer.from('content') });
  expect(server.headers[0]).toMatchObject({ 'accept-encoding': 'identity' });
  expect(Object.keys(server.headers[0] ?? {})).not.toEqual(expect.arrayContaining(['authorization', 'cookie']));
});

test('a private address is refused before a byte is sent (S1)', async () => {
  await using server = await serveFiles({ '/a': 'secret' });

  expect(await downloadFile(`${server.origin}/a`, { allowedOrigins: new Set(), signal })).toEqual(
    failed('`url` must be https'),
  );
  expect(server.seen).toEqual([]);
});

test('a name whose address is private is refused when it is connected to, also when only one of several is (S2)', async () => {
  await using server = await serveFiles({ '/': 'secret' });
  const port = Number(new URL(server.origin).port);
  const asked: string[] = [];
  const rebinding: Resolve = (hostname, _options, done) => {
    asked.push(hostname);
    done(null, [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  };

  const fetched = await downloadFile('https://files.example.com/', {
    allowedOrigins: new Set(),
    signal,
    guarded: () => guardedAgent(rebinding),
  });

  expect(fetched).toEqual(failed('files.example.com is not a public address'));
  expect(asked).toEqual(['files.example.com']);
  expect(port).toBeGreaterThan(0);
  expect(server.seen).toEqual([]);
});

test('up to three redirects are followed, each checked like the first URL (S4)', async () => {
  const to = (location: string) => (answer: ServerResponse) => {
    answer.writeHead(302, { location }).end();
  };
  await using server = await serveFiles({
    '/1': to('/2'),
    '/2': to('3'),
    '/3': to('/file'),
    '/0': to('/1'),
    '/file': 'found',
    '/inside': to('http://127.0.0.1:1/metadata'),
    '/scheme': to('file:///etc/passwd'),
  });
  const get = (path: string) =>
    downloadFile(server.origin + path, { allowedOrigins: new Set([server.origin]), signal });

  expect(await get('/1')).toEqual({ ok: true, bytes: Buffer.from('found') });
  expect(await get('/0')).toEqual(failed('redirects more than 3 times'));
  expect(await get('/inside')).toEqual(failed('redirects, and then must be https'));
  expect(await get('/scheme')).toEqual(failed('redirects, and then must be https'));
});

test('a body without end is cut off at 20 MB, whatever it promised (S5)', async () => {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  await using server = await serveFiles({
    '/endless': (answer) => {
      const write = (): void => {
        while (!answer.destroyed && answer.write(chunk));
        answer.once('drain', write);
      };
      write();
    },
    '/promised': (answer) => void answer.writeHead(200, { 'content-length': String(21 * 1024 * 1024) }).write('x'),
  });
  const get = (path: string) =>
    downloadFile(server.origin + path, { allowedOrigins: new Set([server.origin]), signal });

  expect(await get('/endless')).toEqual(failed('is larger than 20 MB'));
  expect(await get('/promised')).toEqual(failed('is larger than 20 MB'));
});

test.each([
  ['/missing', 'was answered with status 404'],
  ['/zipped', 'came compressed'],
  ['/cut', 'cannot be fetched'],
])('%s is an error', async (path, part) => {
  await using server = await serveFiles({
    '/zipped': (answer) => void answer.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    '/cut': (answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('x', () => answer.destroy());
    },
  });

  expect(await downloadFile(server.origin + path, { allowedOrigins: new Set([server.origin]), signal })).toEqual(
    failed(part),
  );
});

test('a server that never ends its answer is given up (S5), and so is a test run that was cancelled', async () => {
  await using server = await serveFiles({ '/slow': (answer) => void answer.write('x') });
  const options = { allowedOrigins: new Set([server.origin]), signal };

  expect(await downloadFile(`${server.origin}/slow`, { ...options, timeoutMs: 50 })).toEqual(
    failed('did not arrive within 50 ms'),
  );

  const cancel = new AbortController();
  const running = downloadFile(`${server.origin}/slow`, { ...options, signal: cancel.signal });
  cancel.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});
