import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { expect, test } from 'vitest';
import { matchValue } from './match-value.ts';

const prototypeKey: JsonValue = JSON.parse('{"__proto__": 1}');

test.each<[string, JsonValue, JsonValue, boolean]>([
  ['further keys are allowed', { a: 1 }, { a: 1, b: 2 }, true],
  ['inner objects are subsets too', { a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
  ['an absent key never matches a literal', { a: null }, {}, false],
  ['null is only null', { a: null }, { a: 0 }, false],
  ['1 equals 1.0', 1, 1.0, true],
  ['a number is not its text', 1, '1', false],
  ['lists have equal length', [1], [1, 2], false],
  ['lists are compared in order', [1, 2], [2, 1], false],
  ['an object is not a list', {}, [], false],
  ['keys are own keys', { constructor: { $any: true } }, {}, false],
  ['__proto__ is a key like any other', prototypeKey, prototypeKey, true],
  ['__proto__ is not inherited', prototypeKey, {}, false],
  ['$any wants the key', { a: { $any: true } }, { a: null }, true],
  ['$any wants the key to be there', { a: { $any: true } }, {}, false],
  ['$absent wants it not', { a: { $absent: true } }, {}, true],
  ['$absent fails on null', { a: { $absent: true } }, { a: null }, false],
  ['$regex matches the whole text', { $regex: 'A-\\d+' }, 'A-12', true],
  ['$regex is not a search', { $regex: 'A-\\d+' }, 'x A-12', false],
  ['$regex wants a text', { $regex: '1' }, 1, false],
  ['$fuzzy folds case, dashes and space', { $fuzzy: ' New-York_city' }, 'new york  City', true],
  ['$fuzzy compares numbers', { $fuzzy: '1,200.50' }, 1200.5, true],
  ['$fuzzy heeds the sign of a number', { $fuzzy: '-5' }, 5, false],
  ['$fuzzy takes numbers that differ by rounding', { $fuzzy: '0.3' }, 0.1 + 0.2, true],
  ['$fuzzy tells close numbers apart', { $fuzzy: '1000000' }, 1_000_001, false],
  ['$fuzzy composes letters', { $fuzzy: 'caf\u00e9' }, 'CAFE\u0301', true],
  ['$fuzzy reads per cent', { $fuzzy: '50%' }, '0.5', true],
  ['$fuzzy keeps different texts apart', { $fuzzy: 'Rome' }, 'Roma', false],
  ['$range is inclusive', { $range: [1, 3] }, 3, true],
  ['$range may be open', { $range: [null, 3] }, -1e9, true],
  ['$range excludes', { $range: [1, 3] }, 3.1, false],
  ['$in', { $in: ['a', 'b'] }, 'b', true],
  ['$contains finds an element', { $contains: { id: 1 } }, [{ id: 1, name: 'x' }], true],
  ['$contains finds part of a text', { $contains: 'ell' }, 'hello', true],
  ['$literal takes $ keys as data', { $literal: { $any: true } }, { $any: true }, true],
  ['$literal is no matcher', { $literal: { $any: true } }, 5, false],
])('%s', (_, expected, actual, result) => {
  expect(matchValue(expected, actual)).toBe(result);
});

test('a long row of digits is compared in one pass', () => {
  expect(matchValue({ $fuzzy: '1' }, `${'1'.repeat(500_000)}x`)).toBe(false);
});
