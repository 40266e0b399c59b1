import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eValue } from './e-value.ts';
import { spendLooks } from './spend-looks.ts';

const usual = { evidence: 20, budget: 0.01 };

/** Chance that fair coins reach one of the limits, by trying every sequence of them. */
function chanceToStop(pairsAtLooks: readonly number[], limits: readonly (number | null)[]): number {
  const pairs = pairsAtLooks.at(-1) ?? 0;
  let stopped = 0;
  for (let coins = 0; coins < 2 ** pairs; coins += 1) {
    const lossesAt = (seen: number) => (coins & (2 ** seen - 1)).toString(2).replaceAll('0', '').length;
    const stops = pairsAtLooks.some((seen, look) => lossesAt(seen) >= (limits[look] ?? Number.POSITIVE_INFINITY));
    stopped += stops ? 1 : 0;
  }
  return stopped / 2 ** pairs;
}

describe('limits of looks', () => {
  const looks = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 }).map((added) => {
    let seen = 0;
    return added.map((more) => {
      seen += more;
      return seen;
    });
  });

  test('all looks together stop as often as counted, and never more often than the budget allows', () => {
    const rules = fc.record({ evidence: fc.constantFrom(1.5, 4, 20), budget: fc.constantFrom(0.01, 0.05, 0.2) });
    fc.assert(
      fc.property(looks, rules, (pairsAtLooks, given) => {
        const spending = spendLooks(pairsAtLooks, given);
        const limits = spending.map(({ losses }) => losses);
        expect(spending.at(-1)?.spent).toBeCloseTo(chanceToStop(pairsAtLooks, limits), 12);
        expect(spending.at(-1)?.spent).toBeLessThanOrEqual(given.budget);
      }),
      { numRuns: 150 },
    );
  });

  test('no look stops on less evidence than is asked for, and spending never falls', () => {
    fc.assert(
      fc.property(looks, (pairsAtLooks) => {
        const spending = spendLooks(pairsAtLooks, { evidence: 4, budget: 0.2 });
        spending.forEach(({ losses, spent }, look) => {
          expect(spent).toBeGreaterThanOrEqual(spending[look - 1]?.spent ?? 0);
          if (losses === null) return;
          expect(eValue({ losses, wins: (pairsAtLooks[look] ?? 0) - losses })).toBeGreaterThanOrEqual(4);
        });
      }),
    );
  });

  test('six pairs stop nothing, seven stop when all are losses', () => {
    expect(spendLooks([6, 7], usual)).toEqual([
      { losses: null, spent: 0 },
      { losses: 7, spent: expect.closeTo(2 ** -7, 12) },
    ]);
  });

  test('without looks nothing is spent', () => {
    expect(spendLooks([], usual)).toEqual([]);
    expect(spendLooks([0, 0], usual).at(-1)).toEqual({ losses: null, spent: 0 });
  });

  test('a hundred looks at a huge suite stay within the budget', () => {
    const many = spendLooks(
      Array.from({ length: 99 }, (_, look) => (look + 1) * 200),
      usual,
    );
    expect(many.at(-1)?.spent).toBeLessThanOrEqual(0.01);
    expect(many.at(-1)?.spent).toBeGreaterThan(0.004);
    expect(many.at(-1)?.losses).toBeGreaterThan(9_900);
  });
});
