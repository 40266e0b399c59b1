import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactText } from './redact-text.ts';

const part = 'aB3_-x'.repeat(4);

describe('what looks like a key is not shown', () => {
  test.for([
    ['a token of GitHub', `ghp_${'a1'.repeat(18)}`],
    ['a fine-grained token of GitHub', `github_pat_${'a_1'.repeat(20)}`],
    ['a key of a provider', `sk-${part}`],
    ['a token of ours', `pmk_${part}`],
    ['a key of a cloud', `AKIA${'ABCD'.repeat(4)}`],
    ['another key of a cloud', `AIza${'a'.repeat(35)}`],
    ['a token of a forge', `glpat-${'a1_'.repeat(8)}`],
    ['a key of a shop', `sk_live_${'a1'.repeat(12)}`],
    ['a token of models', `hf_${'aB'.repeat(17)}`],
    ['a key of fast models', `gsk_${'aB3'.repeat(17)}`],
    ['a token of pictures', `r8_${'aB3'.repeat(12)}`],
    ['a token of packages', `npm_${'aB3'.repeat(12)}`],
    ['a token of a chat', `xoxb-${'1234567890'}`],
    ['a signed token', `eyJ${part}.${part}.${part}`],
    ['a signed token of a size that nobody expects', `eyJ${part.repeat(1_000)}.${part}.${part}`],
    ['a key of thousands of characters', `sk-${part.repeat(100)}`],
  ])('%s', ([_what, key = '']) => {
    expect(redactText(`Use ${key}, please`)).toBe('Use [redacted], please');
    expect(redactText(key)).toBe('[redacted]');
    expect(redactText(`${key}\n${key}`)).toBe('[redacted]\n[redacted]');
  });

  test('a private key, also one whose end is missing', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----';
    expect(redactText(`a ${key} b`)).toBe('a [redacted] b');
    expect(redactText(`a ${key.slice(0, 40)}`)).toBe('a [redacted]');
  });
});

test.for([
  'task-force-of-the-whole-company',
  'sk-short',
  'eyJhbGci.x.y',
  `AKIA${'A'.repeat(17)}`,
  'ghp_short',
  'hf_hub_download_of_models',
])('%s is no key', (text) => {
  expect(redactText(text)).toBe(text);
});

test('nothing that is left can be read as a key once more', () => {
  const piece = fc.constantFrom('eyJ', '-', '.', 'sk-', 'ghp_', 'AKIA', 'a1B2c3D4e5', ' ', '_', '-----BEGIN A-----');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const once = redactText(pieces.join(''));
      expect(redactText(once)).toBe(once);
    }),
  );
});

test.for([
  '-eyJ',
  'eyJaaaaaaaaaaaa.',
  'eyJaaaaaaaaaaaa.bbbbbbbbbbb ',
  '-----BEGIN A',
  'sk-',
  'ghp_',
  'AKIA-',
  'xoxb--',
])('800,000 characters of %s are read in a moment', (piece) => {
  const text = piece.repeat(800_000 / piece.length);
  const before = process.cpuUsage();
  redactText(text);
  const { user, system } = process.cpuUsage(before);
  // Tens of milliseconds; work that grows with the square would take minutes.
  expect((user + system) / 1000).toBeLessThan(1_000);
});
