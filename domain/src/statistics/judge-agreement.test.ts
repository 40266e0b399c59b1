import type { JudgeCounts } from '@proofmark/contracts/judge-measurement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correctedPassRate, judgeAgreement } from './judge-agreement.ts';

const counts = (truePasses: number, falseFails: number, trueFails: number, falsePasses: number): JudgeCounts => ({
  truePasses,
  falseFails,
  trueFails,
  falsePasses,
});

const bothClasses = fc
  .tuple(fc.nat(60), fc.nat(60), fc.nat(60), fc.nat(60))
  .map((drawn) => counts(...drawn))
  .filter((drawn) => drawn.truePasses + drawn.falseFails > 0 && drawn.trueFails + drawn.falsePasses > 0);

describe('the agreement of a judge with people', () => {
  test('a textbook table of 50 with 35 agreements has kappa 0.4', () => {
    expect(judgeAgreement(counts(20, 5, 15, 10))).toEqual({
      ...{ tpr: 0.8, tnr: 0.6, agreement: 0.7, majorityAgreement: 0.5 },
      kappa: expect.closeTo(0.4, 12),
    });
  });

  test('a judge that always passes agrees with the majority and has kappa 0', () => {
    expect(judgeAgreement(counts(90, 0, 0, 10))).toMatchObject({
      ...{ tpr: 1, tnr: 0, kappa: 0, agreement: 0.9, majorityAgreement: 0.9 },
    });
  });

  test('what was never counted is null, not 0', () => {
    expect(judgeAgreement(counts(0, 0, 0, 0))).toEqual({
      ...{ tpr: null, tnr: null, kappa: null, agreement: null, majorityAgreement: null },
    });
    expect(judgeAgreement(counts(12, 0, 0, 0))).toEqual({
      ...{ tpr: 1, tnr: null, kappa: null, agreement: 1, majorityAgreement: 1 },
    });
  });

  test('kappa is 1 for no mistake, never above it, and positive exactly where TPR + TNR is above 1', () => {
    fc.assert(
      fc.property(bothClasses, (drawn) => {
        const { tpr, tnr, kappa } = judgeAgreement(drawn);
        if (tpr === null || tnr === null || kappa === null) throw new Error('both classes were counted');
        expect(kappa).toBeLessThanOrEqual(1);
        expect(kappa).toBeGreaterThanOrEqual(-1);
        expect(kappa === 1).toBe(drawn.falseFails + drawn.falsePasses === 0);
        const gain = tpr + tnr - 1;
        if (Math.abs(gain) > 1e-9) expect(Math.sign(kappa)).toBe(Math.sign(gain));
      }),
    );
  });

  test('kappa does not depend on which of the two labels is called passed', () => {
    fc.assert(
      fc.property(bothClasses, (drawn) => {
        const swapped = counts(drawn.trueFails, drawn.falsePasses, drawn.truePasses, drawn.falseFails);
        expect(judgeAgreement(swapped).kappa).toBeCloseTo(judgeAgreement(drawn).kappa ?? Number.NaN, 10);
      }),
    );
  });
});

describe('the corrected pass rate', () => {
  test('undoes what the judge is known to get wrong', () => {
    expect(correctedPassRate(0.8, { tpr: 0.9, tnr: 0.7 })).toBeCloseTo(0.5 / 0.6, 12);
  });

  test('stays between 0 and 1', () => {
    expect(correctedPassRate(0.05, { tpr: 0.9, tnr: 0.9 })).toBe(0);
    expect(correctedPassRate(0.98, { tpr: 0.9, tnr: 0.9 })).toBe(1);
  });

  test('is null for a judge that is no better than chance', () => {
    expect(correctedPassRate(0.5, { tpr: 0.5, tnr: 0.5 })).toBeNull();
    expect(correctedPassRate(0.5, { tpr: 0.2, tnr: 0.6 })).toBeNull();
    expect(correctedPassRate(0.5, { tpr: 1, tnr: null })).toBeNull();
  });

  test('of the labelled answers themselves is the share that people passed', () => {
    fc.assert(
      fc.property(bothClasses, (drawn) => {
        const all = drawn.truePasses + drawn.falseFails + drawn.trueFails + drawn.falsePasses;
        const measured = judgeAgreement(drawn);
        // So near to chance, rounding decides.
        if ((measured.tpr ?? 0) + (measured.tnr ?? 0) < 1.001) return;
        const corrected = correctedPassRate((drawn.truePasses + drawn.falsePasses) / all, measured);
        expect(corrected).toBeCloseTo((drawn.truePasses + drawn.falseFails) / all, 8);
      }),
    );
  });
});
