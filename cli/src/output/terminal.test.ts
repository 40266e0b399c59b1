import { withoutCommands } from '@proofmark/domain/visible-text';
import { expect, test } from 'vitest';
import { wholeLines, wrapLine } from './terminal.ts';

async function* inParts(parts: readonly string[]): AsyncGenerator<string> {
  for (const part of parts) yield await Promise.resolve(part);
}

const blanks = ' '.repeat(70_000);

test.each([
  ['a line', ['a,b\n:', ':error::owned\nc\n']],
  ['an old command', ['a #', '#[error]x\n', '##', '[error]y\n']],
  ['every letter for itself', Array.from('a\n ::error::owned\n##[error]x\r::error::y')],
  ['lines of which much came at once', [`a\n${'b\n'.repeat(40_000)}::`, 'error::owned\n']],
  [
    'a line that is too long to wait for',
    [`${blanks}::`, 'error::owned', `${blanks}:`, ':error::owned #', '#[error]', `${blanks}##`, '[error]x'],
  ],
])('no command comes through a guard in two parts: %s', async (_name, parts) => {
  let whole = '';
  let shown = '';
  for await (const lines of wholeLines(inParts(parts))) {
    whole += lines;
    shown += withoutCommands(lines);
  }
  expect(whole).toBe(parts.join(''));
  expect(shown).not.toMatch(/(?:^|[\n\r])\s*::|##\[/);
});

test('a long line is broken between words and keeps its indent', () => {
  expect(wrapLine('  said: one two three four', { width: 14, hanging: '    ' })).toEqual([
    '  said: one',
    '    two three',
    '    four',
  ]);
});

test('a word that is longer than the line stands alone, and a line that fits stays', () => {
  expect(wrapLine('a bbbbbbbbbbbb c', { width: 5 })).toEqual(['a', 'bbbbbbbbbbbb', 'c']);
  expect(wrapLine('  short', { width: 10 })).toEqual(['  short']);
});

test('where nobody watches a line stays whole', () => {
  expect(wrapLine('x '.repeat(200), { width: null })).toHaveLength(1);
});
