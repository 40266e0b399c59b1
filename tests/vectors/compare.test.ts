import { describe, expect, test } from 'vitest';
import { differences } from './compare.ts';
import { usualTolerance } from './vector.ts';

const compare = (expected: unknown, actual: unknown) => differences(expected, actual, usualTolerance);

describe('comparing an answer with a vector', () => {
  test('equal values have no differences', () => {
    expect(compare({ a: [1, 'x', null], b: { c: true } }, { b: { c: true }, a: [1, 'x', null] })).toEqual([]);
  });

  test('numbers may differ by a billionth of their size', () => {
    expect(compare(1000, 1000 + 9e-7)).toEqual([]);
    expect(compare(1000, 1000 + 2e-6)).toHaveLength(1);
    expect(compare(0, 1e-17)).toEqual([]);
  });

  test('a file’s own tolerance holds for its fields', () => {
    const own = { relative: 0, absolute: 1e-9, byField: { loose: 1e-7 } };
    expect(differences({ loose: 1, tight: 1 }, { loose: 1 + 5e-8, tight: 1 + 5e-8 }, own)).toHaveLength(1);
  });

  test('an absent key is not null, and null is not absent', () => {
    expect(compare({ a: null }, {})).toEqual(['answer.a: expected null, got nothing']);
    expect(compare({}, { a: null })).toEqual(['answer.a: expected nothing, got null']);
    expect(compare({}, { a: undefined })).toEqual([]);
  });

  test('errors and ignored are sets, other lists keep their order', () => {
    expect(compare({ errors: [{ path: 'a' }, { path: 'b' }] }, { errors: [{ path: 'b' }, { path: 'a' }] })).toEqual([]);
    expect(compare({ ignored: ['a'] }, { ignored: ['a', 'b'] })).toEqual(['answer.ignored: has "b" too much']);
    expect(compare({ cells: ['a', 'b'] }, { cells: ['b', 'a'] })).toHaveLength(2);
  });

  test('normalized names only some fields, by dotted paths too', () => {
    const answer = { valid: true, normalized: { name: 'n', checks: [{ mode: 'all' }], more: 1 } };
    expect(compare({ valid: true, normalized: { name: 'n', 'checks.0.mode': 'all' } }, answer)).toEqual([]);
    expect(compare({ valid: true, normalized: { 'checks.0.mode': 'any' } }, answer)).toHaveLength(1);
    expect(compare({ valid: true }, answer)).toEqual([]);
  });

  test('a number is not its text, a list is not an object', () => {
    expect(compare(1, '1')).toHaveLength(1);
    expect(compare([], {})).toHaveLength(1);
    expect(compare({ a: 1 }, null)).toHaveLength(1);
  });
});
