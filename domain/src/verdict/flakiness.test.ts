import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFlaky, measureFlakiness } from './flakiness.ts';

describe('flakiness', () => {
  test('needs ten trials', () => {
    expect(measureFlakiness({ passed: 4, scored: 9 })).toBeNull();
    expect(isFlaky({ passed: 4, scored: 9 })).toBe(false);
  });

  test('a coin is 1, a case that always ends the same way is 0', () => {
    expect(measureFlakiness({ passed: 10, scored: 20 })).toBe(1);
    expect(measureFlakiness({ passed: 20, scored: 20 })).toBe(0);
    expect(measureFlakiness({ passed: 0, scored: 10 })).toBe(0);
    expect(measureFlakiness({ passed: 4, scored: 10 })).toBeCloseTo(0.96, 12);
  });

  test('with a full window 2 to 18 passes are flaky', () => {
    const flaky = Array.from({ length: 21 }, (_, passed) => passed).filter((passed) => isFlaky({ passed, scored: 20 }));
    expect(flaky).toEqual(Array.from({ length: 17 }, (_, index) => index + 2));
  });

  test('a case leaves quarantine by itself when its window leaves the range', () => {
    expect(isFlaky({ passed: 18, scored: 20 })).toBe(true);
    expect(isFlaky({ passed: 19, scored: 20 })).toBe(false);
  });

  test('passes and failures are treated alike', () => {
    const window = fc
      .integer({ min: 1, max: 60 })
      .chain((scored) => fc.integer({ min: 0, max: scored }).map((passed) => ({ passed, scored })));
    fc.assert(
      fc.property(window, ({ passed, scored }) => {
        const mirrored = { passed: scored - passed, scored };
        expect(isFlaky(mirrored)).toBe(isFlaky({ passed, scored }));
        const [here, there] = [measureFlakiness({ passed, scored }), measureFlakiness(mirrored)];
        if (here === null || there === null) expect(here).toBe(there);
        else expect(here).toBeCloseTo(there, 12);
      }),
    );
  });
});
