import { expect, test } from 'vitest';
import { blobLinks } from './blob-links.ts';

const digest = 'a'.repeat(64);
const grant = {
  tenant: '00000000-0000-4000-8000-000000000001',
  chunk: '00000000-0000-4000-8000-000000000002',
  attempt: 2,
  expires: 1_800_000_000,
};
const links = blobLinks(Buffer.from('a key'), 'https://proofmark.example.com');
const queryOf = (url: string) => new URL(url).searchParams;

test('a signed URL says what it allows, to whoever has the key (C8)', () => {
  const url = links.sign(digest, grant);
  expect(url.startsWith(`https://proofmark.example.com/blobs/${digest}?`)).toBe(true);
  expect(links.read(digest, queryOf(url))).toEqual(grant);
  expect(blobLinks(Buffer.from('another key'), 'https://x').read(digest, queryOf(url))).toBeNull();
});

test.each([
  ['another content', 'b'.repeat(64), {}],
  ['another tenant', digest, { tenant: '00000000-0000-4000-8000-000000000009' }],
  ['another chunk', digest, { chunk: '00000000-0000-4000-8000-000000000009' }],
  ['another attempt', digest, { attempt: '3' }],
  ['more time', digest, { expires: '1900000000' }],
  ['no signature', digest, { signature: '' }],
  ['a signature of another length', digest, { signature: 'ab' }],
  ['a number that is none', digest, { attempt: 'x' }],
])('it is worth nothing for %s (C8, F8)', (_what, asked, changes) => {
  const query = queryOf(links.sign(digest, grant));
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  expect(links.read(asked, query)).toBeNull();
});
