import { describe, expect, test } from 'vitest';
import type { CaseCounts } from './case-counts.ts';
import { differenceInterval } from './difference-interval.ts';

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
