import { mkdirSync, writeFileSync } from 'node:fs';
import { CaseComparison, type Verdict } from '@proofmark/contracts/verdict';
import { describe, expect, test } from 'vitest';
import { endOfThrown, exitCodeOfRun, type JudgedSuiteRun } from './exit-code.ts';

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

const thrownBy = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('endOfThrown', () => {
  test('a folder that cannot be written is told without a trace', () => {
    const thrown = thrownBy(() => mkdirSync('/proc/nobody'));
    expect(endOfThrown(thrown)).toEqual({ code: 2, words: expect.stringMatching(/^proofmark: E\w+: .*nobody'\n$/) });
  });

  // Only Linux has a file that is always full.
  test.runIf(process.platform === 'linux')('and so is a full disk, which the next try may find emptied', () => {
    const thrown = thrownBy(() => writeFileSync('/dev/full', 'x'));
    expect(thrown).not.toHaveProperty('path');
    expect(endOfThrown(thrown)).toEqual({ code: 3, words: 'proofmark: ENOSPC: no space left on device, write\n' });
  });

  test('anything else is a fault of ours, with its trace', () => {
    expect(endOfThrown(new TypeError('x is not a function')).words).toMatch(
      /which it should not: TypeError: .*\n +at /,
    );
  });
});
