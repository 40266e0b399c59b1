import { expect, test } from 'vitest';
import { foreignLine, maskSecret, printForeign } from './job.ts';

test('a name stays in its line and starts no command, of the old form neither', () => {
  expect(foreignLine('a\r\n::error::b\u2028c ##[add-mask]d\u001b[31m')).toBe(
    'a ::error::b\\u{2028}c # #[add-mask]d\\u{001B}[31m',
  );
});

test('foreign text stands between a word that switches commands off and on again, behind a bar', () => {
  const lines: string[] = [];
  printForeign('\uFEFF::warning::x\r  ::set-env name=A::b\n##[error]c', (line) => void lines.push(line), 'word');
  expect(lines).toEqual([
    '::stop-commands::word',
    '│ \\u{FEFF}::warning::x',
    '│   ::set-env name=A::b',
    '│ ##[error]c',
    '::word::',
  ]);
});

test('the word is another one each time', () => {
  const words = new Set<string>();
  for (let time = 0; time < 3; time += 1) printForeign('x', (line) => void (line.includes('stop') && words.add(line)));
  expect(words.size).toBe(3);
});

test('keys and endless texts are not printed', () => {
  const lines: string[] = [];
  printForeign(`ghp_${'a'.repeat(36)}\n${'y'.repeat(5000)}\n${'z\n'.repeat(500)}`, (line) => void lines.push(line));
  expect(lines[1]).toBe('│ [redacted]');
  expect(lines[2]?.length).toBeLessThan(2100);
  expect(lines).toHaveLength(203);
});

const masked = (secret: string) => {
  const forms: string[] = [];
  maskSecret(secret, (form) => void forms.push(form));
  return forms;
};

test('a secret is masked as it is, in base64 and as part of an address', () => {
  expect(masked('pmk_a+b/c=')).toEqual(['pmk_a+b/c=', 'cG1rX2ErYi9jPQ==', 'pmk_a%2Bb%2Fc%3D']);
});

test('nothing that is in every line is masked', () => {
  expect(masked('')).toEqual([]);
  expect(masked('key')).toEqual([]);
});
