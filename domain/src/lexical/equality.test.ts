import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNumbers, editDistance, isEqualText, readNumber } from './equality.ts';

test('without options case, punctuation and white space count, but not how accents are composed', () => {
  expect(isEqualText('Cafe\u0301', 'Caf\u00e9')).toBe(true);
  expect(isEqualText('Yes', 'yes')).toBe(false);
  expect(isEqualText('yes.', 'yes')).toBe(false);
  expect(isEqualText('yes ', 'yes')).toBe(false);
});

test('each option ignores its own difference', () => {
  expect(isEqualText('YES', 'yes', { caseInsensitive: true })).toBe(true);
  expect(isEqualText('y-e.s!', 'yes', { stripPunctuation: true })).toBe(true);
  expect(isEqualText(' we\n open ', 'we open', { stripWhitespace: true })).toBe(true);
  expect(isEqualText('weopen', 'we open', { stripWhitespace: true })).toBe(false);
});

test('white space is folded after punctuation is gone', () => {
  expect(isEqualText('we - open', 'we open', { stripPunctuation: true, stripWhitespace: true })).toBe(true);
});

test.each([
  ['12', 12],
  [' -1.5e3 ', -1500],
  ['+.5', 0.5],
  ['7.', 7],
])('%j is a number', (text, value) => {
  expect(readNumber(text)).toBe(value);
});

test.each(['', 'NaN', 'Infinity', '1e999', '0x10', '1,200', '12%', '12 euros', '1 2', '--1', '1e'])(
  '%j is unusable',
  (text) => {
    expect(readNumber(text)).toBeUndefined();
  },
);

test('percent and thousands separators are read only where they are accepted', () => {
  expect(readNumber('12.5%', { acceptPercent: true })).toBe(0.125);
  expect(readNumber('1,200_000\u202f000', { acceptThousandsSeparators: true })).toBe(1_200_000_000);
  expect(readNumber('1,200%', { acceptPercent: true })).toBeUndefined();
});

test('the absolute tolerance is inclusive and 1e-6 unless given', () => {
  expect(compareNumbers('2.000001', '2')).toMatchObject({ isEqual: true });
  expect(compareNumbers('2.0000021', '2')).toMatchObject({ isEqual: false });
  expect(compareNumbers('0.3', '0.2', { absoluteTolerance: 0.1 })).toMatchObject({ isEqual: true });
});

test('the relative tolerance is a share of the reference', () => {
  expect(compareNumbers('105', '100', { relativeTolerance: 0.05 })).toMatchObject({ isEqual: true });
  expect(compareNumbers('106', '100', { relativeTolerance: 0.05 })).toMatchObject({ isEqual: false });
});

test('the unusable side is named', () => {
  expect(compareNumbers('about 5', '5')).toEqual({ ok: false, unusable: 'response' });
  expect(compareNumbers('about 5', 'five')).toEqual({ ok: false, unusable: 'truth' });
});

test('an answer of very many digits is read in one pass', () => {
  expect(readNumber(`${'1'.repeat(500_000)}x`)).toBeUndefined();
  expect(readNumber(`${'1'.repeat(200)}.5`)).toBe(Number(`${'1'.repeat(200)}.5`));
});

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['same', 'same', 0],
  ['naïve', 'naive', 1],
  ['👍🏽', '👍', 1],
])('%s and %s are %i apart', (one, other, distance) => {
  expect(editDistance(one, other, 10)).toBe(distance);
  expect(editDistance(one, other, distance)).toBe(distance);
  if (distance > 0) expect(editDistance(one, other, distance - 1)).toBeUndefined();
});

/** By the definition, whatever it costs. */
function slowly(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const replaced = slowly(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
  return Math.min(replaced, slowly(a.slice(1), b) + 1, slowly(a, b.slice(1)) + 1);
}

test('it is what the definition says, up to what was asked for', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, fc.nat(6), (one, other, most) => {
      const distance = slowly(one, other);
      expect(editDistance(one, other, most)).toBe(distance > most ? undefined : distance);
    }),
  );
});

test('two long texts cost no more than their length', () => {
  const text = 'x'.repeat(100_000);
  expect(editDistance(text, `${text}y`, 5)).toBe(1);
});
