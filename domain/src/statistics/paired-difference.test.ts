import { describe, expect, test } from 'vitest';
import type { CaseCounts } from './case-counts.ts';
import { pairedDifference } from './paired-difference.ts';

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
