import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from './edit-distance.ts';

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
