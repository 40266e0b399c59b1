import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eValue, lookAtPairs, spendLooks, type TrialPair } from './sequential-look.ts';

describe('e-value of discordant pairs', () => {
  // The list of specs: 6–0 goes on, 7–0 stops.
  test.for([
    [0, 0, 1],
    [6, 0, 18.142857142857142],
    [7, 0, 31.875],
    [10, 1, 30.931818181818183],
    [8, 1, 11.255555555555556],
    [11, 2, 14.906593406593407],
    [3, 40, 0.026215276498883985],
    [200, 100, 3255003.4180253954],
  ] as const)('%d losses and %d wins', ([losses, wins, expected]) => {
    expect(eValue({ losses, wins }) / expected).toBeCloseTo(1, 11);
  });

  test('its mean under no change is 1 after any number of pairs, which is what makes looking often safe', () => {
    for (const pairs of [1, 5, 12]) {
      let mean = 0;
      for (let coins = 0; coins < 2 ** pairs; coins += 1) {
        const losses = coins.toString(2).replaceAll('0', '').length;
        mean += eValue({ losses, wins: pairs - losses }) / 2 ** pairs;
      }
      expect(mean).toBeCloseTo(1, 10);
    }
  });
});

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

const lost: TrialPair = { basePassed: true, headPassed: false, round: 1 };
const won: TrialPair = { basePassed: false, headPassed: true, round: 1 };
const same: TrialPair = { basePassed: true, headPassed: true, round: 1 };
const times = (count: number, pair: TrialPair) => Array.from({ length: count }, () => [pair]);

describe('sequential stopping', () => {
  test('six losses go on, seven stop', () => {
    const look = (losses: number) => lookAtPairs(times(losses, lost), 1);
    expect(look(6).stops).toBe(false);
    expect(look(7)).toMatchObject({ losses: 7, wins: 0, diff: -1, stops: true });
  });

  test('losses that hardly lower the rate of a huge suite do not stop it', () => {
    const suite = [...times(7, lost), ...times(993, same)];
    expect(lookAtPairs(suite, 1)).toMatchObject({ diff: -0.007, stops: false });
  });

  test('cases weigh the same whatever their number of pairs, and cases without pairs not at all', () => {
    expect(lookAtPairs([[lost, lost, lost, same], [won], []], 1).diff).toBe((-0.75 + 1) / 2);
  });

  test('rounds that are not complete are not looked at', () => {
    const later = times(20, { ...lost, round: 2 });
    expect(lookAtPairs([...times(3, lost), ...later], 1)).toMatchObject({ losses: 3, stops: false });
    expect(lookAtPairs([...times(3, lost), ...later], 2)).toMatchObject({ losses: 23, stops: true });
  });

  test('a look pays for those before it: what stops at first need not stop later', () => {
    const early = (wins: number) => [...times(7, lost), ...times(wins, won)];
    expect(lookAtPairs(early(0), 1).stops).toBe(true);
    // Ten losses against one win stop a first look. After a look at seven pairs, which 7–0 would have stopped, they
    // would bring the chance of a false alarm over its budget.
    const first = [...times(10, lost), ...times(1, won)];
    expect(lookAtPairs(first, 1).stops).toBe(true);
    const second = [...times(6, lost), ...times(1, won), ...times(4, { ...lost, round: 2 })];
    expect(lookAtPairs(second, 2)).toMatchObject({ losses: 10, wins: 1, stops: false });
  });

  test('good news never stops a run', () => {
    expect(lookAtPairs(times(50, won), 1).stops).toBe(false);
    expect(lookAtPairs([], 1)).toEqual({ losses: 0, wins: 0, eValue: 1, diff: 0, stops: false });
    expect(lookAtPairs([], 0).stops).toBe(false);
  });
});
