import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newcombePaired, newcombeUnpaired } from './newcombe.ts';

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
