import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseCounts } from './case-counts.ts';
import {
  differenceInterval,
  meanDifference,
  newcombePaired,
  newcombeUnpaired,
  pairedDifference,
  trimmedDifference,
  wilson,
} from './intervals.ts';

describe('Wilson interval', () => {
  test('nothing scored says nothing', () => {
    expect(wilson({ passed: 0, scored: 0 })).toEqual({ lo: 0, hi: 1 });
  });

  test('no pass and no failure give exact ends', () => {
    expect(wilson({ passed: 0, scored: 7 }).lo).toBe(0);
    expect(wilson({ passed: 7, scored: 7 }).hi).toBe(1);
  });

  test('contains the rate, stays in 0–1 and mirrors with the outcome', () => {
    const trials = fc
      .integer({ min: 1, max: 500 })
      .chain((scored) => fc.record({ scored: fc.constant(scored), passed: fc.integer({ min: 0, max: scored }) }));
    fc.assert(
      fc.property(trials, ({ passed, scored }) => {
        const { lo, hi } = wilson({ passed, scored });
        const mirrored = wilson({ passed: scored - passed, scored });
        expect(lo).toBeGreaterThanOrEqual(0);
        expect(lo).toBeLessThanOrEqual(passed / scored);
        expect(hi).toBeGreaterThanOrEqual(passed / scored);
        expect(hi).toBeLessThanOrEqual(1);
        expect(mirrored.lo).toBeCloseTo(1 - hi, 12);
      }),
    );
  });
});

const cell = fc.integer({ min: 0, max: 30 });

describe('Newcombe interval, unpaired', () => {
  test('the published example, 56/70 against 48/80', () => {
    const { lo, hi } = newcombeUnpaired({ first: [56, 70], second: [48, 80] });
    expect([lo.toFixed(4), hi.toFixed(4)]).toEqual(['0.0524', '0.3339']);
  });

  test('two arms without trials leave everything possible', () => {
    expect(newcombeUnpaired({ first: [0, 0], second: [0, 0] })).toEqual({ diff: 0, lo: -1, hi: 1 });
  });
});

describe('Newcombe interval, paired', () => {
  test('contains the difference and turns round with the arms', () => {
    fc.assert(
      fc.property(cell, cell, cell, cell, (bothPassed, baseOnly, headOnly, bothFailed) => {
        fc.pre(bothPassed + baseOnly + headOnly + bothFailed > 0);
        const here = newcombePaired({ bothPassed, baseOnly, headOnly, bothFailed });
        const swapped = newcombePaired({ bothPassed, baseOnly: headOnly, headOnly: baseOnly, bothFailed });
        expect(here.lo).toBeLessThanOrEqual(here.diff + 1e-12);
        expect(here.hi).toBeGreaterThanOrEqual(here.diff - 1e-12);
        expect(swapped.lo).toBeCloseTo(-here.hi, 12);
      }),
    );
  });

  test('an empty margin has no correlation', () => {
    expect(newcombePaired({ bothPassed: 0, baseOnly: 10, headOnly: 0, bothFailed: 0 }).phi).toBe(0);
  });

  test('a small positive association is corrected to none, a negative one is kept', () => {
    expect(newcombePaired({ bothPassed: 20, baseOnly: 8, headOnly: 1, bothFailed: 1 }).phi).toBe(0);
    expect(newcombePaired({ bothPassed: 36, baseOnly: 12, headOnly: 2, bothFailed: 0 }).phi).toBeLessThan(0);
  });
});

const halfLost: readonly CaseCounts[] = [
  [4, 4, 2, 4],
  [4, 4, 4, 4],
  [4, 4, 2, 4],
  [4, 4, 4, 4],
];

describe('paired difference', () => {
  test('one case has no spread', () => {
    expect(pairedDifference([[1, 2, 1, 2]])).toBeUndefined();
  });

  test('one cluster has no spread', () => {
    expect(pairedDifference(halfLost, { clusters: ['a', 'a', 'a', 'a'] })).toBeUndefined();
  });

  test('a cluster of its own for every case is the unclustered interval', () => {
    const alone = pairedDifference(halfLost, { clusters: ['a', 'b', 'c', 'd'] });
    expect(alone?.se).toBeCloseTo(pairedDifference(halfLost)?.se ?? 0, 15);
    expect(alone?.df).toBe(3);
  });

  test('cases that fall together make the interval wider', () => {
    const together = pairedDifference(halfLost, { clusters: ['a', 'b', 'a', 'b'] });
    expect(together?.se).toBeGreaterThan(pairedDifference(halfLost)?.se ?? 1);
  });

  test('cluster names that look like numbers or prototype members are only names', () => {
    const clusters = ['__proto__', '1', 'constructor', '01'];
    expect(pairedDifference(halfLost, { clusters })?.df).toBe(3);
  });

  test('the same difference everywhere leaves no doubt about its sign', () => {
    const same = (counts: CaseCounts) => pairedDifference([counts, counts, counts])?.pOneSided;
    expect([same([2, 2, 1, 2]), same([2, 2, 2, 2]), same([1, 2, 2, 2])]).toEqual([0, 0.5, 1]);
  });

  test('a single trial on an arm leaves the noise within cases unknown', () => {
    expect(pairedDifference([...halfLost, [1, 1, 1, 4]])?.withinCaseSe).toBeNull();
  });
});

test('one difference has no spread to measure', () => {
  expect(meanDifference([])).toBeNull();
  expect(meanDifference([5])).toBeNull();
});

test('equal differences have an interval without width', () => {
  expect(meanDifference([5, 5, 5])).toEqual({ mean: 5, lo: 5, hi: 5 });
});

test('is the interval of the gate when the differences are those of pass rates', () => {
  const scored = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(scored, scored), { minLength: 2, maxLength: 20 }), (passes) => {
      const gate = pairedDifference(passes.map(([base, head]) => [base, 4, head, 4] as const));
      const here = meanDifference(passes.map(([base, head]) => (head - base) / 4));
      expect(here?.mean).toBeCloseTo(gate?.diff ?? Number.NaN, 12);
      expect(here?.lo).toBeCloseTo(gate?.lo ?? Number.NaN, 9);
      expect(here?.hi).toBeCloseTo(gate?.hi ?? Number.NaN, 9);
    }),
  );
});

const spread: readonly CaseCounts[] = [
  [5, 5, 3, 5],
  [5, 5, 5, 5],
];

describe('choice of the interval', () => {
  test('one trial on each side everywhere: pairs', () => {
    const single: readonly CaseCounts[] = [
      [1, 1, 0, 1],
      [1, 1, 1, 1],
      [0, 1, 1, 1],
      [0, 1, 0, 1],
    ];
    expect(differenceInterval(single, ['a', 'a', 'b', 'b']).ciMethod).toBe('newcombe-paired');
  });

  test('several cases that differ: t, over clusters when there are two', () => {
    expect(differenceInterval(spread).ciMethod).toBe('paired-t');
    expect(differenceInterval(spread, ['a', 'b']).ciMethod).toBe('clustered-t');
  });

  test('nothing to measure spread on: pooled', () => {
    expect(differenceInterval(spread, ['a', 'a']).ciMethod).toBe('newcombe-pooled');
    expect(differenceInterval([[5, 5, 3, 5]]).ciMethod).toBe('newcombe-pooled');
    expect(differenceInterval(Array.from({ length: 7 }, () => [5, 5, 4, 5] as const)).ciMethod).toBe('newcombe-pooled');
  });

  test('the interval is about head − base', () => {
    const { ciLo, ciHi } = differenceInterval([[20, 20, 0, 20]]);
    expect(ciLo).toBe(-1);
    expect(ciHi).toBeLessThan(0);
  });

  test('never leaves what pass rates can differ by', () => {
    const brokenOfTwo: readonly CaseCounts[] = [
      [3, 3, 0, 3],
      [3, 3, 3, 3],
    ];
    const { ciMethod, ciLo, ciHi } = differenceInterval(brokenOfTwo);
    expect({ ciMethod, ciLo, ciHi }).toEqual({ ciMethod: 'paired-t', ciLo: -1, ciHi: 1 });
  });
});

test('the trimmed mean leaves out a fifth at each end, and its interval is the published one', () => {
  // The self-awareness data of Wilcox, Introduction to Robust Estimation (2012), 4.3: 282.7, 160.4 to 404.99.
  const times = [...[77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310, 2611]];
  const told = trimmedDifference(times);
  expect([told?.mean, told?.lo, told?.hi].map((value) => Math.round(value ?? 0))).toEqual([283, 160, 405]);
  expect(trimmedDifference([1, 2, 3, 900])).toEqual(meanDifference([1, 2, 3, 900]));
  expect(trimmedDifference([1, 2, 3, 4, 900])?.mean).toBe(3);
  expect(trimmedDifference([5])).toBeNull();
});
