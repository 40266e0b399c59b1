import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { benjaminiHochberg } from './benjamini-hochberg.ts';

const probabilities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 50 });

/** The definition, read literally. */
const literal = (p: readonly number[]) => {
  const sorted = p.toSorted((a, b) => a - b);
  return p.map((own) =>
    Math.min(...sorted.map((other, i) => (other >= own ? Math.min(1, (other * p.length) / (i + 1)) : 1))),
  );
};

describe('Benjamini–Hochberg', () => {
  test('is monotone: a smaller p never has a larger adjusted p', () => {
    fc.assert(
      fc.property(probabilities, (p) => {
        const adjusted = benjaminiHochberg(p);
        const byP = [...p.keys()].toSorted((a, b) => (p[a] ?? 0) - (p[b] ?? 0));
        const inOrder = byP.map((index) => adjusted[index] ?? 0);
        expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
      }),
    );
  });

  test('never lowers a p and never exceeds 1', () => {
    fc.assert(
      fc.property(probabilities, (p) => {
        for (const [i, adjusted] of benjaminiHochberg(p).entries()) {
          expect(adjusted).toBeGreaterThanOrEqual((p[i] ?? 0) * (1 - 1e-15));
          expect(adjusted).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('is the definition read literally', () => {
    fc.assert(
      fc.property(probabilities, (p) => {
        for (const [i, expected] of literal(p).entries()) expect(benjaminiHochberg(p)[i]).toBeCloseTo(expected, 12);
      }),
    );
  });

  test('further cases that show nothing only make flags rarer', () => {
    expect(benjaminiHochberg([0.01])[0]).toBe(0.01);
    expect(benjaminiHochberg([0.01, 1, 1, 1])[0]).toBe(0.04);
  });

  test('no cases, no values', () => {
    expect(benjaminiHochberg([])).toEqual([]);
  });
});
