import { Gate } from '@proofmark/contracts/gate';
import { CaseComparison, type Verdict } from '@proofmark/contracts/verdict';
import { judgeCalibration } from '@proofmark/domain/judge-calibration';
import { describe, expect, test } from 'vitest';
import { exitCodeOfRun, type JudgedSuiteRun } from './exit-code.ts';

const suiteRun = (
  verdict: Partial<Pick<Verdict, 'word' | 'conclusion' | 'judge'>>,
  counts: Partial<NonNullable<Verdict['cases'][number]['head']>> = {},
  minPassRate?: number,
): JudgedSuiteRun => {
  const head = { planned: 2, passed: 2, failed: 0, errored: 0, invalid: 0, ...counts };
  const gate = Gate.parse(minPassRate === undefined ? {} : { min_pass_rate: minPassRate });
  return {
    verdict: {
      ...{ word: 'no-baseline', conclusion: 'neutral', judge: null, ...verdict },
      cases: [CaseComparison.parse({ caseName: 'a', base: null, head, notComparable: false, quarantined: false })],
      settings: { gate, alertOnRegression: true, alertThresholdPercent: 10, onError: 'block' },
    },
    totals: { failed: head.failed, skipped: 0 },
    isCutByBudget: false,
  };
};
const codeOf = (...suiteRuns: JudgedSuiteRun[]) => exitCodeOfRun(suiteRuns, false);

describe('exitCodeOfRun', () => {
  test('the verdict decides where there is a comparison', () => {
    expect(codeOf(suiteRun({ word: 'unchanged', conclusion: 'success' }, { failed: 1 }))).toBe(0);
    expect(codeOf(suiteRun({ word: 'regressed', conclusion: 'failure' }))).toBe(1);
    expect(codeOf(suiteRun({ word: 'suspected', conclusion: 'neutral' }))).toBe(0);
  });

  test('without a baseline a failed or unanswered test run is a refusal', () => {
    expect(codeOf(suiteRun({}))).toBe(0);
    expect(codeOf(suiteRun({}, { failed: 1 }))).toBe(1);
    expect(codeOf(suiteRun({}, { errored: 1 }))).toBe(1);
  });

  test('a minimum pass rate decides instead, where the suite has one', () => {
    expect(codeOf(suiteRun({}, { failed: 1 }, 50))).toBe(0);
    expect(codeOf(suiteRun({ conclusion: 'failure' }, { failed: 1 }, 90))).toBe(1);
  });

  test('what a judge says that agrees too little with people refuses nothing, and hides no trouble', () => {
    const counts = { truePasses: 15, falseFails: 0, trueFails: 5, falsePasses: 10 };
    const measured = { path: 'l.jsonl', judgeHash: 'a', labels: 30, counts, problem: null };
    const weak = { judge: judgeCalibration(measured, 50) };
    expect(weak.judge.isWeak).toBe(true);
    expect(codeOf(suiteRun(weak, { failed: 1 }))).toBe(0);
    expect(codeOf(suiteRun({ word: 'regressed', ...weak }, { failed: 1 }))).toBe(0);
    expect(codeOf(suiteRun(weak, { failed: 1, invalid: 1 }))).toBe(3);
  });

  test('what could not be measured is never fine', () => {
    expect(codeOf(suiteRun({}, { invalid: 1 }))).toBe(3);
    expect(codeOf(suiteRun({ word: 'error', conclusion: 'failure' }))).toBe(3);
    expect(codeOf({ ...suiteRun({}), isCutByBudget: true })).toBe(3);
  });

  test('a refusal is said before a doubt, and an interruption before both', () => {
    const refused = suiteRun({}, { failed: 1 });
    expect(codeOf(suiteRun({ word: 'error' }), refused)).toBe(1);
    expect(exitCodeOfRun([refused], true)).toBe(130);
  });
});
