import { CaseComparison, type Verdict } from '@proofmark/contracts/verdict';
import { describe, expect, test } from 'vitest';
import { exitCodeOfRun, type JudgedSuiteRun } from './exit-code.ts';

const suiteRun = (
  verdict: Partial<Pick<Verdict, 'word' | 'conclusion' | 'cutTestRuns' | 'unmeasured'>>,
  counts: Partial<NonNullable<Verdict['cases'][number]['head']>> = {},
): JudgedSuiteRun => {
  const head = { planned: 2, passed: 2, failed: 0, errored: 0, invalid: 0, ...counts };
  return {
    verdict: {
      word: 'no-baseline',
      conclusion: 'neutral',
      cutTestRuns: 0,
      unmeasured: [],
      ...verdict,
      cases: [CaseComparison.parse({ caseName: 'a', base: null, head, notComparable: false, quarantined: false })],
    },
  };
};
const codeOf = (...suiteRuns: JudgedSuiteRun[]) => exitCodeOfRun(suiteRuns, false);

describe('exitCodeOfRun', () => {
  test('the conclusion decides, which every surface shows, and nothing beside it', () => {
    expect(codeOf(suiteRun({ word: 'unchanged', conclusion: 'success' }, { failed: 1 }))).toBe(0);
    expect(codeOf(suiteRun({ word: 'regressed', conclusion: 'failure' }))).toBe(1);
    expect(codeOf(suiteRun({ word: 'suspected' }))).toBe(0);
    expect(codeOf(suiteRun({}, { failed: 1 }))).toBe(0);
    expect(codeOf(suiteRun({ conclusion: 'failure' }, { failed: 1 }))).toBe(1);
    expect(codeOf({ verdict: null })).toBe(0);
  });

  test('what could not be measured is never fine', () => {
    expect(codeOf(suiteRun({}, { invalid: 1 }))).toBe(3);
    expect(codeOf(suiteRun({ word: 'error', conclusion: 'failure' }))).toBe(3);
    expect(codeOf(suiteRun({ cutTestRuns: 1 }))).toBe(3);
    const metric = { metric: 'fluency', measured: 0, wanted: 2, reason: 'down' };
    expect(codeOf(suiteRun({ unmeasured: [{ ...metric, isEnough: false }] }))).toBe(3);
    expect(codeOf(suiteRun({ unmeasured: [{ ...metric, measured: 1, isEnough: true }] }))).toBe(0);
  });

  test('a refusal is said before a doubt, and an interruption before both', () => {
    const refused = suiteRun({ conclusion: 'failure' }, { failed: 1 });
    expect(codeOf(suiteRun({ word: 'error' }), refused)).toBe(1);
    expect(exitCodeOfRun([refused], true)).toBe(130);
  });
});
