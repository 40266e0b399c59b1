import type { JudgeCounts, MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import { describe, expect, test } from 'vitest';
import { judgeCalibration, whyIncomplete } from './judge-calibration.ts';
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
      Alert rule: pass rate fell 40.0 points, limit 10; newly failing: \`case-7\`, \`case-8\`, \`case-9\`, \`case-10\`.
      Judge 0123456789ab on 30 labelled answers of \`evals/labels.jsonl\`: TPR 100%, TNR 46.7%, kappa 0.47; agreement 73.3%, the majority label alone 50%. The pass rate 60%, corrected by TPR and TNR, is 14.3%.
      Kappa below 0.6: this judge should not decide alone, so the check is neutral whatever the verdict. \`proofmark calibrate\` lists the answers that people judged otherwise: sharpen their criteria, or take another judge.
      What can be seen with 10 cases, 3 repetitions and 3 base trials each: drops of 21.2 points or more, in 4 of 5 comparisons. For 10 points run 14 repetitions per case."
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
      Alert rule: pass rate fell 40.0 points, limit 10; newly failing: \`case-7\`, \`case-8\`, \`case-9\`, \`case-10\`.
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
