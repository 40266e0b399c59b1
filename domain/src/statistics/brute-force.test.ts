import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { betaBinomial } from './beta-binomial.ts';
import { bestEndForHead, type CaseCounts } from './case-counts.ts';
import {
  incompleteBeta,
  logBeta,
  logGamma,
  normalQuantile,
  studentCdf,
  studentQuantile,
} from './continuous-distributions.ts';
import { fisherCase, fisherHeadHasMore, mcnemarExact } from './exact-tests.ts';
import { meanDifference, newcombeUnpaired, pairedDifference, twoSidedZ, wilson } from './intervals.ts';
import { repetitionsAgainstHistory, repetitionsPerArm, smallestDetectableDrop } from './power.ts';
import { convolve, hypergeometric, lowerTail, pointMass, upperTail } from './probability-mass.ts';
import { passAtK, passHatK, reduceTrials, summariseTrials } from './repetitions.ts';
import { eValue } from './sequential-look.ts';

/** Every function once more, by counting, adding up or bisecting: slow, and too simple to be wrong. */

const whole = (min: number, max: number) => fc.integer({ min, max });
const trials = (most: number) =>
  whole(1, most).chain((scored) => fc.record({ scored: fc.constant(scored), passed: whole(0, scored) }));
const isOne = (subset: number, bit: number): boolean => Math.floor(subset / 2 ** bit) % 2 === 1;
const onesOf = (subset: number, bits: number): number[] => [...Array(bits).keys()].filter((bit) => isOne(subset, bit));
const subsets = (bits: number): number[][] => [...Array(2 ** bits).keys()].map((subset) => onesOf(subset, bits));
const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
const choose = (n: number, k: number): number => factorial(n) / factorial(k) / factorial(n - k);

/** The area under `height` from `from` to `to`, by a fine midpoint rule. */
function area(height: (x: number) => number, from: number, to: number, steps = 20_000): number {
  const width = (to - from) / steps;
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum += height(from + (step + 0.5) * width) * width;
  return sum;
}

function bisect(isBelow: (x: number) => boolean, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let round = 0; round < 100; round += 1) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

describe('drawing without putting back', () => {
  const arms = fc.tuple(trials(5), trials(5));

  test('hypergeometric: every way to choose who is the head', () => {
    fc.assert(
      fc.property(arms, ([base, head]) => {
        const total = base.scored + head.scored;
        const successes = base.passed + head.passed;
        const draws = subsets(total).filter((drawn) => drawn.length === head.scored);
        const share = (wanted: (passes: number) => boolean) =>
          draws.filter((drawn) => wanted(drawn.filter((trial) => trial < successes).length)).length / draws.length;
        const mass = hypergeometric({ total, successes, draws: head.scored });
        expect(pointMass(mass, head.passed)).toBeCloseTo(
          share((passes) => passes === head.passed),
          12,
        );
        expect(lowerTail(mass, head.passed)).toBeCloseTo(
          share((passes) => passes <= head.passed),
          12,
        );
        expect(upperTail(mass, head.passed)).toBeCloseTo(
          share((passes) => passes >= head.passed),
          12,
        );
        expect(fisherCase([base.passed, base.scored, head.passed, head.scored])).toBeCloseTo(
          share((passes) => passes <= head.passed),
          12,
        );
        const more = { headCount: head.passed, headTotal: head.scored, baseCount: base.passed, baseTotal: base.scored };
        expect(fisherHeadHasMore(more)).toBeCloseTo(
          share((passes) => passes >= head.passed),
          12,
        );
      }),
      { numRuns: 60 },
    );
  });

  test('pass@k and pass^k: every way to choose k trials', () => {
    fc.assert(
      fc.property(trials(8), whole(1, 8), ({ scored, passed }, k) => {
        fc.pre(k <= scored);
        const chosen = subsets(scored).filter((trialsOfIt) => trialsOfIt.length === k);
        const share = (wanted: (passes: number) => boolean) =>
          chosen.filter((one) => wanted(one.filter((trial) => trial < passed).length)).length / chosen.length;
        expect(passAtK({ scored, passed }, k)).toBeCloseTo(
          share((passes) => passes > 0),
          12,
        );
        expect(passHatK({ scored, passed }, k)).toBeCloseTo(
          share((passes) => passes === k),
          12,
        );
      }),
    );
  });
});

describe('coins and sums', () => {
  test('McNemar: every row of coins', () => {
    fc.assert(
      fc.property(whole(0, 6), whole(0, 5), (losses, wins) => {
        fc.pre(losses + wins > 0);
        const rows = subsets(losses + wins).map((heads) => heads.length);
        const share = (wanted: (heads: number) => boolean) => rows.filter(wanted).length / rows.length;
        const found = mcnemarExact({ losses, wins });
        expect(found.pRegression).toBeCloseTo(
          share((heads) => heads >= losses),
          12,
        );
        const midp = share((heads) => heads > losses) + share((heads) => heads === losses) / 2;
        expect(found.midPRegression).toBeCloseTo(midp, 12);
        const mirror = mcnemarExact({ losses: wins, wins: losses });
        expect(found.midPRegression + mirror.midPRegression).toBeCloseTo(1, 12);
        expect(found.pTwoSided).toBeCloseTo(mirror.pTwoSided, 12);
      }),
    );
  });

  test('convolution: every pair of values', () => {
    const mass = fc.array(whole(1, 9), { minLength: 1, maxLength: 6 }).map((weights) => {
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return { start: 0, mass: Float64Array.from(weights, (weight) => weight / sum) };
    });
    fc.assert(
      fc.property(mass, mass, (x, y) => {
        const sum = convolve(x, y);
        for (let total = 0; total < 12; total += 1) {
          let expected = 0;
          x.mass.forEach((p, i) => {
            expected += p * (y.mass[total - i] ?? 0);
          });
          expect(pointMass(sum, total)).toBeCloseTo(expected, 12);
        }
      }),
    );
  });

  test('e-value: the mean likelihood ratio over all loss shares from a half to one', () => {
    fc.assert(
      fc.property(whole(0, 12), whole(0, 12), (losses, wins) => {
        const mean = area((share) => (2 * share) ** losses * (2 - 2 * share) ** wins, 0.5, 1) * 2;
        expect(eValue({ losses, wins }) / mean).toBeCloseTo(1, 6);
      }),
      { numRuns: 40 },
    );
  });

  test('curtailment: no way to end is better for the head', () => {
    const counts = fc.tuple(trials(3), trials(3), whole(0, 3), whole(0, 3));
    fc.assert(
      fc.property(counts, ([base, head, outstandingBase, outstandingHead]) => {
        const now: CaseCounts = [base.passed, base.scored, head.passed, head.scored];
        const best = fisherCase(bestEndForHead({ counts: now, outstandingBase, outstandingHead }));
        for (const ofBase of subsets(outstandingBase)) {
          for (const ofHead of subsets(outstandingHead)) {
            const end: CaseCounts = [
              base.passed + ofBase.length,
              base.scored + outstandingBase,
              head.passed + ofHead.length,
              head.scored + outstandingHead,
            ];
            expect(fisherCase(end)).toBeLessThanOrEqual(best + 1e-12);
          }
        }
      }),
    );
  });
});

describe('areas and limits', () => {
  test('Gamma and Beta: factorials', () => {
    fc.assert(
      fc.property(whole(1, 60), whole(1, 60), (a, b) => {
        expect(logGamma(a)).toBeCloseTo(Math.log(factorial(a - 1)), 9);
        expect(logBeta(a, b)).toBeCloseTo(-Math.log(choose(a + b - 2, a - 1)) - Math.log(a + b - 1), 8);
        expect(logBeta(a, b)).toBe(logBeta(b, a));
      }),
    );
  });

  test('incomplete Beta: the chance of at least a heads among a + b − 1 coins', () => {
    const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(whole(1, 20), whole(1, 20), share, (a, b, x) => {
        const coins = a + b - 1;
        let sum = 0;
        for (let heads = a; heads <= coins; heads += 1) {
          sum += choose(coins, heads) * x ** heads * (1 - x) ** (coins - heads);
        }
        expect(incompleteBeta({ a, b, x })).toBeCloseTo(sum, 11);
      }),
    );
  });

  test('normal and t quantiles: the area below them', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), whole(1, 40), (p, df) => {
        const bell = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
        expect(0.5 + area(bell, 0, normalQuantile(p), 2_000)).toBeCloseTo(p, 7);
        const scale = Math.exp(-logBeta(df / 2, 0.5)) / Math.sqrt(df);
        const flat = (x: number) => scale * (1 + (x * x) / df) ** (-(df + 1) / 2);
        const t = studentQuantile(p, df);
        expect(0.5 + area(flat, 0, t, 20_000)).toBeCloseTo(p, 4);
        expect(t).toBeCloseTo(
          bisect((x) => studentCdf(x, df) < p, -200, 200),
          8,
        );
      }),
      { numRuns: 40 },
    );
  });

  test('Wilson: the rates that the score test does not refuse; Newcombe is made of them', () => {
    fc.assert(
      fc.property(trials(40), trials(40), (one, other) => {
        const z = twoSidedZ(0.95);
        const { passed, scored } = one;
        const seen = passed / scored;
        const isRefused = (rate: number) => Math.abs(seen - rate) > z * Math.sqrt((rate * (1 - rate)) / scored);
        const { lo, hi } = wilson(one);
        expect(lo).toBeCloseTo(passed === 0 ? 0 : bisect(isRefused, 0, seen), 8);
        expect(hi).toBeCloseTo(passed === scored ? 1 : bisect((rate) => !isRefused(rate), seen, 1), 8);
        const [a, b] = [wilson(one), wilson(other)];
        const seenOther = other.passed / other.scored;
        const difference = newcombeUnpaired({ first: [passed, scored], second: [other.passed, other.scored] });
        const down = Math.hypot(seen - a.lo, b.hi - seenOther);
        expect(difference.lo).toBeCloseTo(seen - seenOther - down, 12);
      }),
    );
  });

  test('Beta-binomial: the two posteriors, laid out on a grid', () => {
    fc.assert(
      fc.property(trials(6), trials(6), (base, head) => {
        // On x = sin² t the ends of both densities stay finite.
        const density =
          ({ passed, scored }: { passed: number; scored: number }) =>
          (t: number) =>
            2 *
            Math.exp(-logBeta(passed + 0.5, scored - passed + 0.5)) *
            Math.sin(t) ** (2 * passed) *
            Math.cos(t) ** (2 * (scored - passed));
        const [ofBase, ofHead] = [density(base), density(head)];
        const steps = 400;
        const width = Math.PI / 2 / steps;
        let worse = 0;
        let headBelow = 0;
        for (let step = 0; step < steps; step += 1) {
          const t = (step + 0.5) * width;
          const head = ofHead(t) * width;
          worse += ofBase(t) * width * (headBelow + head / 2);
          headBelow += head;
        }
        const found = betaBinomial([base.passed, base.scored, head.passed, head.scored]);
        expect(found.probRegression).toBeCloseTo(worse, 4);
        expect(found.headMean).toBeCloseTo((head.passed + 0.5) / (head.scored + 1), 12);
      }),
      { numRuns: 40 },
    );
  });
});

describe('means and plans', () => {
  const differences = fc.array(whole(-9, 9), { minLength: 2, maxLength: 12 });

  test('the mean of differences and its spread, as the textbook writes it', () => {
    fc.assert(
      fc.property(differences, (values) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
        const reach = studentQuantile(0.975, values.length - 1) * Math.sqrt(variance / values.length);
        expect(meanDifference(values)?.lo).toBeCloseTo(mean - reach, 9);
        expect(meanDifference(values.map((value) => -value))?.hi).toBeCloseTo(-(mean - reach), 9);
        // Ten trials a side: a difference in passes is ten times one of rates.
        const counts = values.map((value): CaseCounts => [Math.max(0, -value), 10, Math.max(0, value), 10]);
        expect(pairedDifference(counts)?.lo).toBeCloseTo((mean - reach) / 10, 9);
      }),
    );
  });

  test('planned repetitions: the fewest that see the drop, by trying one after another', () => {
    const suite = fc.record({
      cases: whole(5, 200),
      drop: whole(2, 20),
      noise: whole(1, 25),
      baseTrials: whole(1, 30),
    });
    fc.assert(
      fc.property(suite, ({ cases, drop: points, noise, baseTrials }) => {
        const [drop, withinVariance] = [points / 100, noise / 100];
        const seesIt = (repetitions: number, base: number) =>
          smallestDetectableDrop({ cases, withinVariance, repetitions, baseTrials: base }) <= drop + 1e-12;
        const fewest = (sees: (count: number) => boolean) => {
          for (let count = 1; count <= 20_000; count += 1) if (sees(count)) return count;
          return null;
        };
        const plan = { cases, withinVariance, drop };
        expect(repetitionsPerArm(plan).repetitions).toBe(fewest((count) => seesIt(count, count)));
        const against = repetitionsAgainstHistory({ ...plan, baseTrials })?.repetitions ?? null;
        fc.pre(against === null || against <= 20_000);
        expect(against).toBe(fewest((count) => seesIt(count, baseTrials)));
      }),
      { numRuns: 60 },
    );
  });

  test('reducers: counting passes one by one', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), whole(1, 9), (outcomes, k) => {
        const given = { scored: outcomes.length, passed: outcomes.filter((passed) => passed).length };
        const failed = outcomes.length - given.passed;
        const word = (passes: boolean) => (passes ? 'passed' : 'failed');
        expect(reduceTrials(given)).toBe(word(given.passed > failed));
        expect(reduceTrials(given, { kind: 'all' })).toBe(word(outcomes.every((passed) => passed)));
        expect(reduceTrials(given, { kind: 'any' })).toBe(word(outcomes.some((passed) => passed)));
        expect(reduceTrials(given, { kind: 'at_least', k })).toBe(word(given.passed >= k));
      }),
    );
  });

  test('median and 95th percentile: so many values lie on each side', () => {
    fc.assert(
      fc.property(fc.array(whole(0, 1_000), { minLength: 1, maxLength: 60 }), (values) => {
        const found = summariseTrials(values);
        const below = (limit: number) => values.filter((value) => value <= limit).length / values.length;
        expect(below(found?.p50 ?? -1)).toBeGreaterThanOrEqual(0.5);
        expect(below((found?.p95 ?? -1) + 1e-9)).toBeGreaterThanOrEqual(0.95 * (1 - 1 / values.length));
        expect(found?.p50).toBeLessThanOrEqual(found?.p95 ?? -1);
      }),
    );
  });
});
