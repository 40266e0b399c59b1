import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseCounts } from '../statistics/case-counts.ts';
import { type GateInput, runGate } from './gate.ts';

const times = (count: number, counts: CaseCounts): CaseCounts[] => Array.from({ length: count }, () => counts);
const points = (fraction: number) => Number(fraction.toFixed(3));

const arm = (max: number) =>
  fc.integer({ min: 1, max }).chain((scored) => fc.tuple(fc.integer({ min: 0, max: scored }), fc.constant(scored)));
const caseCounts = fc.tuple(arm(8), arm(8)).map(([[x, n], [y, r]]): CaseCounts => [x, n, y, r]);
const suite = fc.array(caseCounts, { minLength: 1, maxLength: 25 });

const billing: GateInput = {
  cases: [...times(4, [21, 21, 2, 3]), ...times(16, [21, 21, 3, 3])],
  clusters: Array.from('bbbbssssssssaaaaaaaa'),
};

// The worked examples of the specification that its data file does not hold.
describe('worked examples', () => {
  test('ten cases once, all pass: not enough evidence', () => {
    const result = runGate({ cases: times(10, [1, 1, 1, 1]) });
    expect(result).toMatchObject({ verdict: 'inconclusive', diff: 0, p: 1, midp: 0.5 });
    expect([result.ciLo.toFixed(4), result.ciHi.toFixed(4)]).toEqual(['-0.2775', '0.2775']);
  });

  test('thirty stable cases stay stable: no regression beyond ten points', () => {
    const result = runGate({ cases: times(30, [21, 21, 3, 3]) });
    expect([result.verdict, points(result.ciLo), points(result.ciHi)]).toEqual(['unchanged', -0.041, 0.006]);
  });

  test.for([
    [20, 'regressed', 0.0099],
    [100, 'regressed', 0.0494],
    [120, 'unchanged', 0.0593],
  ] as const)('one of %d stable cases breaks: %s', ([cases, verdict, adjusted]) => {
    const result = runGate({ cases: [...times(cases - 1, [21, 21, 3, 3]), [21, 21, 0, 3]] });
    expect(result.verdict).toBe(verdict);
    expect(result.p).toBeCloseTo(0.000494, 6);
    expect(result.adjusted.at(-1)).toBeCloseTo(adjusted, 4);
    expect(result.flagged).toEqual(verdict === 'regressed' ? [cases - 1] : []);
  });

  test('a flaky case that breaks is flagged, unless it is in quarantine', () => {
    const cases = [...times(44, [20, 20, 5, 5]), [17, 20, 0, 5] as const];
    const flagged = runGate({ cases });
    expect(flagged).toMatchObject({ verdict: 'regressed', flagged: [44] });
    expect([points(flagged.diff), points(flagged.ciLo), points(flagged.ciHi)]).toEqual([-0.019, -0.057, 0.019]);
    expect(runGate({ cases, quarantined: [44] })).toMatchObject({ verdict: 'unchanged', flagged: [], p: flagged.p });
  });

  test('clusters widen the interval but not the evidence', () => {
    const { clusters: _clusters, ...unclustered } = billing;
    const wide = runGate(billing);
    const narrow = runGate(unclustered);
    expect([wide.verdict, wide.ciMethod, points(wide.ciLo), points(wide.ciHi)]).toEqual([
      'regressed',
      'clustered-t',
      -0.411,
      0.278,
    ]);
    expect([narrow.ciMethod, points(narrow.ciLo), points(narrow.ciHi)]).toEqual(['paired-t', -0.131, -0.003]);
    expect(wide.midp).toBeCloseTo(0.000122, 6);
  });

  test('eight shaky cases become stable', () => {
    const result = runGate({ cases: [...times(8, [10, 21, 3, 3]), ...times(22, [21, 21, 3, 3])] });
    expect([result.verdict, points(result.diff), points(result.ciLo), points(result.ciHi)]).toEqual([
      'improved',
      0.14,
      0.052,
      0.228,
    ]);
    expect(result.midpImprove / 7.9e-8).toBeCloseTo(1, 1);
  });

  test('fresh counts of a confirmation', () => {
    const fresh = (worse: number) =>
      runGate({ cases: [...times(worse, [3, 3, 2, 3]), ...times(10 - worse, [3, 3, 3, 3])] });
    expect(fresh(4).midp).toBeCloseTo(0.03125, 12);
    expect(fresh(2).midp).toBeCloseTo(0.125, 12);
  });
});

describe('the gate', () => {
  test('the order of cases changes nothing but the order of the answers', () => {
    fc.assert(
      fc.property(suite, (cases) => {
        const here = runGate({ cases });
        const reversed = runGate({ cases: cases.toReversed() });
        expect(reversed.verdict).toBe(here.verdict);
        expect(reversed.midp).toBe(here.midp);
        expect(reversed.diff).toBeCloseTo(here.diff, 12);
        expect(reversed.adjusted.toReversed()).toEqual(here.adjusted);
      }),
    );
  });

  test('swapping the arms mirrors difference, evidence and interval', () => {
    fc.assert(
      fc.property(suite, (cases) => {
        const here = runGate({ cases });
        const swapped = runGate({ cases: cases.map(([x, n, y, r]): CaseCounts => [y, r, x, n]) });
        expect(swapped.diff).toBeCloseTo(-here.diff, 12);
        expect(swapped.midp).toBeCloseTo(here.midpImprove, 12);
        expect(swapped.ciLo).toBeCloseTo(-here.ciHi, 9);
      }),
    );
  });

  test('strict uses the probability that never exceeds its level', () => {
    const cases = [...times(4, [1, 1, 0, 1]), ...times(6, [1, 1, 1, 1])];
    expect(runGate({ cases })).toMatchObject({ p: 0.0625, midp: 0.03125, verdict: 'regressed' });
    expect(runGate({ cases, parameters: { strict: true } }).verdict).toBe('suspected');
  });

  test('coverage is what was compared of what was planned', () => {
    const cases = times(8, [5, 5, 5, 5]);
    expect(runGate({ cases, planned: 10 })).toMatchObject({ coverage: 0.8, verdict: 'unchanged' });
    expect(runGate({ cases, planned: 11 }).verdict).toBe('insufficient');
  });

  test('refuses what is no comparison', () => {
    expect(() => runGate({ cases: [] })).toThrow(RangeError);
    expect(() => runGate({ cases: [[0, 0, 1, 1]] })).toThrow(RangeError);
    expect(() => runGate({ cases: [[2, 1, 1, 1]] })).toThrow(RangeError);
    expect(() => runGate({ cases: times(2, [1, 1, 1, 1]), clusters: ['a'] })).toThrow(RangeError);
  });
});

describe('speed', () => {
  // The best of several attempts: the machine may be busy, the algorithm may not be slow.
  const fastestMs = (work: () => void) => {
    const attempts = Array.from({ length: 5 }, () => {
      const start = process.threadCpuUsage();
      work();
      return process.threadCpuUsage(start).user / 1000;
    });
    return Math.min(...attempts);
  };

  test('ten thousand different cases take less than 200 ms', () => {
    const cases = Array.from({ length: 10_000 }, (_, i): CaseCounts => {
      const n = 1 + (i % 25);
      const r = 1 + ((i * 7) % 10);
      return [(i * 13) % (n + 1), n, (i * 31) % (r + 1), r];
    });
    expect(fastestMs(() => runGate({ cases }))).toBeLessThan(200);
  });

  test('one case with ten thousand trials on each side takes less than 10 ms', () => {
    expect(fastestMs(() => runGate({ cases: [[8000, 10_000, 7900, 10_000]] }))).toBeLessThan(10);
  });
});
