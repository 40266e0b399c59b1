import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseCounts } from './case-counts.ts';
import { benjaminiHochberg, exactStratified, fisherCase, fisherHeadHasMore, mcnemarExact } from './exact-tests.ts';

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

describe('Fisher’s test of one case', () => {
  test('five of five against none of five', () => {
    expect(fisherCase([5, 5, 0, 5])).toBeCloseTo(1 / 252, 15);
  });

  test('a case that always fails cannot have become worse', () => {
    expect(fisherCase([0, 5, 0, 5])).toBe(1);
  });

  test('impossible counts are a bug of the caller', () => {
    expect(() => fisherCase([6, 5, 0, 5])).toThrow(RangeError);
  });
});

describe('Fisher’s test of "head has more"', () => {
  test('twelve of 150 errored against two of 150 is no accident, five of 150 against one of 50 may be', () => {
    const many = { headCount: 12, headTotal: 150, baseCount: 2, baseTotal: 150 };
    const few = { headCount: 5, headTotal: 150, baseCount: 1, baseTotal: 50 };
    expect(fisherHeadHasMore(many)).toBeCloseTo(0.005503973573758895, 12);
    expect(fisherHeadHasMore(few)).toBeCloseTo(0.5324321517661313, 12);
  });

  test('is the case test of the opposite event', () => {
    const arm = fc.integer({ min: 1, max: 40 }).chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(arm, arm, ([baseCount, baseTotal], [headCount, headTotal]) => {
        const more = fisherHeadHasMore({ headCount, headTotal, baseCount, baseTotal });
        const fewerWithout = fisherCase([baseTotal - baseCount, baseTotal, headTotal - headCount, headTotal]);
        expect(more).toBeCloseTo(fewerWithout, 12);
      }),
    );
  });
});

describe('exact McNemar test', () => {
  test('nothing differs, nothing is shown', () => {
    expect(mcnemarExact({ losses: 0, wins: 0 })).toEqual({
      pTwoSided: 1,
      pRegression: 1,
      midPTwoSided: 1,
      midPRegression: 1,
    });
  });

  test('five losses and no win', () => {
    const result = mcnemarExact({ losses: 5, wins: 0 });
    expect(result.pRegression).toBeCloseTo(1 / 32, 15);
    expect(result.midPTwoSided).toBeCloseTo(1 / 32, 15);
  });

  test('a draw is no evidence in either direction', () => {
    const result = mcnemarExact({ losses: 4, wins: 4 });
    expect(result.pTwoSided).toBe(1);
    expect(result.midPTwoSided).toBeCloseTo(1, 14);
    expect(result.midPRegression).toBeCloseTo(0.5, 14);
  });
});

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
