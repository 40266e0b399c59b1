import { expect, test } from 'vitest';
import { filesWithin } from './files-within.ts';

const file = (url: string) => ({ path: 'a.txt', sha256: 'a'.repeat(64), url });
const own = file('https://proofmark.example.com/blobs/a?signature=1');

test.each([
  'http://proofmark.example.com/blobs/a',
  'https://proofmark.example.com:8443/blobs/a',
  'https://proofmark.example.com.evil.example/blobs/a',
  'https://proofmark.example.com@evil.example/blobs/a',
  'http://169.254.169.254/latest/meta-data',
])('a file at %s is none that the coordinator may hand out (S1)', (url) => {
  expect(filesWithin('https://proofmark.example.com', [own, file(url)])).toEqual([own]);
});

test('without an origin from the handshake nothing is fetched', () => {
  expect(filesWithin(undefined, [own])).toEqual([]);
});
