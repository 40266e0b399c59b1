import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseCounts } from './case-counts.ts';
import { exactStratified } from './exact-stratified.ts';
import { fisherCase } from './fisher-case.ts';
import { mcnemarExact } from './mcnemar.ts';

const arm = (max: number) =>
  fc.integer({ min: 1, max }).chain((scored) => fc.tuple(fc.integer({ min: 0, max: scored }), fc.constant(scored)));
const caseCounts = (max: number) => fc.tuple(arm(max), arm(max)).map(([[x, n], [y, r]]): CaseCounts => [x, n, y, r]);

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);

/** P(sum of head passes <= observed) by listing every combination of head passes. */
function bruteForce(cases: readonly CaseCounts[]): number {
  let sums = new Map([[0, 1]]);
  for (const [x, n, y, r] of cases) {
    const next = new Map<number, number>();
    for (let k = Math.max(0, x + y - n); k <= Math.min(r, x + y); k += 1) {
      const chance = (choose(x + y, k) * choose(n + r - x - y, r - k)) / choose(n + r, r);
      for (const [sum, p] of sums) next.set(sum + k, (next.get(sum + k) ?? 0) + p * chance);
    }
    sums = next;
  }
  const observed = cases.reduce((sum, counts) => sum + counts[2], 0);
  return [...sums].reduce((p, [sum, chance]) => (sum <= observed ? p + chance : p), 0);
}

describe('exact stratified test', () => {
  test('equals brute force on small cases', () => {
    fc.assert(
      fc.property(fc.array(caseCounts(5), { minLength: 1, maxLength: 7 }), (cases) => {
        expect(exactStratified(cases).p).toBeCloseTo(bruteForce(cases), 12);
      }),
    );
  });

  test('p and midp are probabilities, and midp is never above p', () => {
    fc.assert(
      fc.property(fc.array(caseCounts(30), { minLength: 1, maxLength: 40 }), (cases) => {
        const { p, midp } = exactStratified(cases);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(midp).toBeGreaterThanOrEqual(0);
        expect(midp).toBeLessThanOrEqual(p);
      }),
    );
  });

  test('the order of cases is irrelevant to the last bit', () => {
    const shuffled = fc
      .array(caseCounts(12), { minLength: 1, maxLength: 30 })
      .chain((cases) => fc.tuple(fc.constant(cases), fc.shuffledSubarray(cases, { minLength: cases.length })));
    fc.assert(
      fc.property(shuffled, ([cases, other]) => {
        expect(exactStratified(other).midp).toBe(exactStratified(cases).midp);
      }),
    );
  });

  test('swapping the arms gives the probability of an improvement', () => {
    fc.assert(
      fc.property(fc.array(caseCounts(10), { minLength: 1, maxLength: 20 }), (cases) => {
        const swapped = cases.map(([x, n, y, r]): CaseCounts => [y, r, x, n]);
        expect(exactStratified(swapped).midp).toBeCloseTo(1 - exactStratified(cases).midp, 12);
      }),
    );
  });

  test('one trial on each side of every case is McNemar’s test', () => {
    const pair = fc.tuple(fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 60 }), (pairs) => {
        const cases = pairs.map(([base, head]): CaseCounts => [Number(base), 1, Number(head), 1]);
        const losses = pairs.filter(([base, head]) => base && !head).length;
        const wins = pairs.filter(([base, head]) => !base && head).length;
        expect(exactStratified(cases).p).toBeCloseTo(mcnemarExact({ losses, wins }).pRegression, 13);
      }),
    );
  });

  test('one case is Fisher’s test', () => {
    fc.assert(
      fc.property(caseCounts(60), (counts) => {
        expect(exactStratified([counts]).p).toBeCloseTo(fisherCase(counts), 14);
      }),
    );
  });

  test('a further passing head trial never lowers p, a further failing base trial neither', () => {
    const withPlace = fc
      .array(caseCounts(8), { minLength: 1, maxLength: 15 })
      .chain((cases) => fc.tuple(fc.constant(cases), fc.nat({ max: cases.length - 1 })));
    fc.assert(
      fc.property(withPlace, ([cases, place]) => {
        const { p, midp } = exactStratified(cases);
        const headPass = exactStratified(cases.with(place, plus(cases[place], [0, 0, 1, 1])));
        const baseFail = exactStratified(cases.with(place, plus(cases[place], [0, 1, 0, 0])));
        for (const later of [headPass, baseFail]) {
          expect(later.p).toBeGreaterThanOrEqual(p - 1e-12);
          expect(later.midp).toBeGreaterThanOrEqual(midp - 1e-12);
        }
      }),
    );
  });

  test('a drop far below the window is 0, not negative', () => {
    const cases = Array.from({ length: 300 }, (): CaseCounts => [20, 20, 0, 20]);
    expect(exactStratified(cases)).toMatchObject({ p: 0, midp: 0, observed: 0 });
  });

  test('a case without a trial on one side says nothing', () => {
    expect(exactStratified([[0, 0, 3, 5]])).toMatchObject({ p: 1, midp: 0.5, nullSd: 0 });
  });

  test('impossible counts are a bug of the caller', () => {
    expect(() => exactStratified([[3, 2, 0, 1]])).toThrow(RangeError);
  });
});

function plus(counts: CaseCounts | undefined, more: CaseCounts): CaseCounts {
  const [x, n, y, r] = counts ?? [0, 0, 0, 0];
  return [x + more[0], n + more[1], y + more[2], r + more[3]];
}
