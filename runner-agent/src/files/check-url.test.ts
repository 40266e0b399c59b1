import { expect, test } from 'vitest';
import { checkUrl } from './check-url.ts';

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
