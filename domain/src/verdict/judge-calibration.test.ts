import type { JudgeCounts, MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correctedPassRate, judgeAgreement, judgeCalibration, whyIncomplete } from './judge-calibration.ts';
import { cases, read } from './sample-trials.fixture.ts';
import { decide } from './sample-verdict.fixture.ts';

const measured = (counts: Partial<JudgeCounts>, more: Partial<MeasuredJudge> = {}): MeasuredJudge => ({
  ...{ path: 'evals/labels.jsonl', judgeHash: '0123456789abcdef', labels: 30, problem: null },
  counts: { truePasses: 15, falseFails: 0, trueFails: 15, falsePasses: 0, ...counts },
  ...more,
});
const good = measured({ trueFails: 13, falsePasses: 2 });
const weak = measured({ trueFails: 7, falsePasses: 8 });

describe('a measured judge', () => {
  test('has its figures, and the pass rate behind the one it reports', () => {
    expect(judgeCalibration(good, 80)).toMatchObject({
      ...{ isMeasured: true, isWeak: false, tpr: 1, majorityAgreement: 0.5 },
      tnr: expect.closeTo(13 / 15, 12),
      kappa: expect.closeTo(13 / 15, 12),
      correctedPassRate: expect.closeTo(((0.8 + 13 / 15 - 1) / (13 / 15)) * 100, 9),
    });
  });

  test('is weak below a kappa of 0.6, and not at it', () => {
    // 24 of 30 agreements on 15 and 15 labels: kappa 0.6.
    expect(judgeCalibration(measured({ trueFails: 9, falsePasses: 6 }), 50)).toMatchObject({ isWeak: false });
    expect(judgeCalibration(measured({ trueFails: 8, falsePasses: 7 }), 50)).toMatchObject({ isWeak: true });
  });

  test('is not measured with fewer than ten decisions about either label, however bad they are', () => {
    const few = measured(
      { trueFails: 0, falsePasses: 9 },
      { problem: '6 of 30 labelled answers without a decision: x' },
    );
    expect(judgeCalibration(few, 50)).toMatchObject({ isMeasured: false, isWeak: false, correctedPassRate: null });
  });
});

describe('a verdict with a measured judge', () => {
  const base = cases(10, 'pass', 3);
  const many = cases(50, 'pass', 5);
  const fallen = [...cases(6, 'pass', 3), ...cases(10, 'fail', 3).slice(18)];

  test('says how far the judge can be trusted', () => {
    const verdict = decide({ base: many, head: many, judge: good });
    expect(verdict).toMatchObject({ word: 'unchanged', conclusion: 'success' });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "No regression beyond 10 points
      100% → 100%; the 95% interval −1.5 to +1.5 points rules out a drop of 10 points.
      Judge 0123456789ab on 30 labelled answers of \`evals/labels.jsonl\`: TPR 100%, TNR 86.7%, kappa 0.87; agreement 93.3%, the majority label alone 50%. The pass rate 100%, corrected by TPR and TNR, is 100%."
    `);
  });

  test('stays regressed with a weak judge, but its check is neutral and says why and what to do', () => {
    const verdict = decide({ base, head: fallen, judge: weak });
    expect(verdict).toMatchObject({ word: 'regressed', conclusion: 'neutral', judge: { isWeak: true } });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Regressed: pass rate 100% → 60% (−40.0 points), judge too weak (kappa 0.47)
      10 cases, 3 repetitions each, against 3 on the base. Without a real change a drop this large shows up in <0.1% of comparisons (mid-p <0.001). 95% interval −76.9 to −3.1 points.
      The alert rule fires, too; newly failing: \`case-7\`, \`case-8\`, \`case-9\`, \`case-10\`.
      Judge 0123456789ab on 30 labelled answers of \`evals/labels.jsonl\`: TPR 100%, TNR 46.7%, kappa 0.47; agreement 73.3%, the majority label alone 50%. The pass rate 60%, corrected by TPR and TNR, is 14.3%.
      Kappa below 0.6: this judge should not decide alone, so the check is neutral whatever the verdict. \`proofmark calibrate\` lists the answers that people judged otherwise: sharpen their criteria, or take another judge.
      10 cases, 3 repetitions and 3 base trials each show drops of 21.2 points or more in 4 of 5 comparisons. For 10 points run 14 repetitions per case."
    `);
  });

  test('is no success with a weak judge either', () => {
    expect(decide({ base: many, head: many, judge: weak })).toMatchObject({ word: 'unchanged', conclusion: 'neutral' });
  });

  test('is not capped by a judge that could not be measured, and says so', () => {
    const problem = '30 of 30 labelled answers without a decision: HTTP 503';
    const counts = { truePasses: 0, falseFails: 0, trueFails: 0, falsePasses: 0 };
    const verdict = decide({ base, head: fallen, judge: measured(counts, { problem }) });
    expect(verdict).toMatchObject({ word: 'regressed', conclusion: 'failure' });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Regressed: pass rate 100% → 60% (−40.0 points)
      10 cases, 3 repetitions each, against 3 on the base. Without a real change a drop this large shows up in <0.1% of comparisons (mid-p <0.001). 95% interval −76.9 to −3.1 points.
      The alert rule fires, too; newly failing: \`case-7\`, \`case-8\`, \`case-9\`, \`case-10\`.
      The judge was not measured with \`evals/labels.jsonl\`: \`30 of 30 labelled answers without a decision: HTTP 503\`. How far it agrees with people is not known."
    `);
  });

  test('that nothing was scored for is an error as ever: the judge has no part in it', () => {
    const verdict = decide({ base: null, head: cases(3, 'agent-error', 1), judge: weak });
    expect(verdict).toMatchObject({
      word: 'error',
      conclusion: 'failure',
      title: expect.not.stringContaining('judge'),
    });
  });
});

test('an incomplete measurement says what is missing and why', () => {
  const whole = { labels: 30, skipped: 0, unjudged: 0, firstError: null, stop: 'interrupted' as const };
  expect(whyIncomplete(whole)).toBeNull();
  expect(whyIncomplete({ ...whole, skipped: 18, stop: 'budget' })).toBe(
    '18 of 30 labelled answers not asked about: the budget was spent',
  );
  expect(whyIncomplete({ ...whole, skipped: 1, unjudged: 2, firstError: 'Timeout after 30000ms' })).toBe(
    '1 of 30 labelled answers not asked about: interrupted; 2 of 30 labelled answers without a decision: Timeout after 30000ms',
  );
});

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
