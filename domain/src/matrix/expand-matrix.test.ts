import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expandMatrix } from './expand-matrix.ts';

const keys = (input: Parameters<typeof expandMatrix>[0]) => {
  const matrix = expandMatrix(input);
  return matrix.ok ? matrix.keys : matrix.error;
};

test('S4-87 the last axis varies fastest and no axis is one cell without a name', () => {
  expect(keys({ axes: { A: ['x', 'y'], T: [0, 1] } })).toEqual(['A=x,T=0', 'A=x,T=1', 'A=y,T=0', 'A=y,T=1']);
  expect(expandMatrix({ axes: {} })).toEqual({ ok: true, cells: [{}], keys: [''] });
});

test('exclusions take cells away, inclusions add cells that are not there yet', () => {
  const axes = { A: ['x', 'y'], T: [0, 1] };
  expect(keys({ axes, exclude: [{ A: 'x', T: 0 }, { A: 'z' }] })).toEqual(['A=x,T=1', 'A=y,T=0', 'A=y,T=1']);
  expect(
    keys({
      axes,
      exclude: [{ A: 'x' }],
      include: [
        { A: 'y', T: 0 },
        { A: 'x', T: 5 },
      ],
    }),
  ).toEqual(['A=y,T=0', 'A=y,T=1', 'A=x,T=5']);
  expect(keys({ axes: {}, include: [{ A: 'x' }] })).toEqual(['A=x']);
  expect(keys({ axes: { A: ['x'] }, exclude: [{ A: 'x' }], include: [{ A: 'y' }] })).toEqual(['A=y']);
});

test('an excluded value is compared with its type', () => {
  expect(keys({ axes: { T: [0, 1] }, exclude: [{ T: '0' }] })).toEqual(['T=0', 'T=1']);
});

test('D16 the size is computed before anything is built', () => {
  const axis = Array.from({ length: 1000 }, (_, index) => index);
  const axes = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`A${index}`, axis]));
  expect(expandMatrix({ axes })).toMatchObject({ ok: false, error: 'too_many_cells' });
  expect(keys({ axes: { A: axis.slice(0, 256) } })).toHaveLength(256);
  expect(expandMatrix({ axes: { A: axis.slice(0, 257) } })).toEqual({
    ok: false,
    error: 'too_many_cells',
    message: 'The matrix has 257 combinations, limit 256',
  });
  expect(keys({ axes: { A: axis.slice(0, 256) }, include: [{ A: 256 }] })).toBe('too_many_cells');
});

test('two cells never share a key', () => {
  expect(keys({ axes: { A: ['x', 'x,B=1'], B: ['1', '1,B=1'] } })).toEqual([
    'A=x,B=1',
    'A=x,B=1%2CB%3D1',
    'A=x%2CB%3D1,B=1',
    'A=x%2CB%3D1,B=1%2CB%3D1',
  ]);
  const value = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('=', ',', '%', '%2C', ',B='));
  const axis = fc.uniqueArray(value, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(axis, axis, (a, b) => {
      const matrix = expandMatrix({ axes: { A: a, B: b } });
      expect(matrix.ok && new Set(matrix.keys).size).toBe(a.length * b.length);
    }),
  );
});

test('a number and its text on one axis would share a key and count as the same value', () => {
  expect(keys({ axes: { A: [1, '1'] } })).toBe('duplicate_value');
});
