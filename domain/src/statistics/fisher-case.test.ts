import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fisherCase, fisherHeadHasMore } from './fisher-case.ts';

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
