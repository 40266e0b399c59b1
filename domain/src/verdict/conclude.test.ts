import type { Gate, VerdictWord } from '@proofmark/contracts/gate';
import type { Conclusion } from '@proofmark/contracts/verdict';
import { describe, expect, test } from 'vitest';
import { type ConclusionInput, conclude } from './conclude.ts';
import { settings } from './sample-trials.fixture.ts';

const concludeWith = (word: VerdictWord, gate: Partial<Gate>, given: Partial<ConclusionInput> = {}): Conclusion =>
  conclude({
    word,
    settings: settings(gate),
    alertFired: false,
    belowMinimum: false,
    hasFailedCase: false,
    erroredTestRuns: 0,
    isIncomplete: false,
    isJudgeWeak: false,
    ...given,
  });

/** The truth table (docs/verdicts.md#every-verdict-in-its-own-words): statistics quiet and alert, alert, either. */
const table: readonly (readonly [VerdictWord, string, string, quietAlert: string, either: string])[] = [
  ['regressed', 'failure', 'failure', 'neutral failure', 'failure failure'],
  ['suspected', 'neutral', 'neutral', 'neutral failure', 'neutral failure'],
  ['improved', 'success', 'neutral', 'success failure', 'success failure'],
  ['unchanged', 'success', 'neutral', 'success failure', 'success failure'],
  ['inconclusive', 'neutral', 'neutral', 'success failure', 'neutral failure'],
  ['insufficient', 'neutral', 'neutral', 'neutral failure', 'neutral failure'],
  ['no-baseline', 'neutral', 'neutral', 'neutral failure', 'neutral failure'],
  ['error', 'failure', 'failure', 'failure failure', 'failure failure'],
];

describe('the truth table of conclusions', () => {
  test.for(table)('%s', ([word, quiet, alerted, byAlert, byEither]) => {
    const both = (decide_by: Gate['decide_by']) =>
      [false, true].map((alertFired) => concludeWith(word, { decide_by }, { alertFired })).join(' ');
    expect(both('statistics')).toBe(`${quiet} ${alerted}`);
    expect(both('alert')).toBe(byAlert);
    expect(both('either')).toBe(byEither);
  });

  test('without a base a run that no check waits for is decided by its cases, or by the minimum that its suite has', () => {
    const byCases = settings({}, { withoutBase: 'cases' });
    const concludeAlone = (given: Partial<ConclusionInput>) =>
      concludeWith('no-baseline', {}, { settings: byCases, ...given });
    expect(concludeAlone({})).toBe('success');
    expect(concludeAlone({ hasFailedCase: true })).toBe('failure');
    expect(concludeAlone({ hasFailedCase: true, isJudgeWeak: true })).toBe('neutral');
    expect(concludeAlone({ erroredTestRuns: 1 })).toBe('neutral');
    expect(concludeAlone({ isIncomplete: true })).toBe('neutral');
    const minimum = settings({ min_pass_rate: 50 }, { withoutBase: 'cases' });
    expect(concludeAlone({ hasFailedCase: true, settings: minimum })).toBe('success');
    expect(concludeAlone({ hasFailedCase: true, settings: minimum, belowMinimum: true })).toBe('failure');
    expect(concludeWith('unchanged', {}, { settings: byCases, hasFailedCase: true })).toBe('success');
    expect(concludeWith('no-baseline', {}, { hasFailedCase: true })).toBe('neutral');
  });

  test('an error is neutral where errors are allowed', () => {
    const allowing = { settings: settings({}, { onError: 'allow' }) };
    expect(concludeWith('error', {}, allowing)).toBe('neutral');
  });

  test('errors and missing test runs take the green away, but errors not where they are allowed', () => {
    expect(concludeWith('unchanged', {}, { erroredTestRuns: 1 })).toBe('neutral');
    expect(concludeWith('improved', {}, { isIncomplete: true })).toBe('neutral');
    const allowing = { erroredTestRuns: 1, settings: settings({}, { onError: 'allow' }) };
    expect(concludeWith('unchanged', {}, allowing)).toBe('success');
    expect(concludeWith('unchanged', {}, { ...allowing, isIncomplete: true })).toBe('neutral');
  });

  test('a judge that agrees too little with people makes every verdict neutral, however strict the gate', () => {
    const strict = { fail_on: ['regressed', 'suspected', 'inconclusive', 'insufficient'] as Gate['fail_on'] };
    for (const [word] of table) {
      const expected = word === 'error' ? 'failure' : 'neutral';
      expect(concludeWith(word, {}, { isJudgeWeak: true })).toBe(expected);
      expect(concludeWith(word, strict, { isJudgeWeak: true, alertFired: true })).toBe(expected);
    }
    expect(concludeWith('unchanged', {}, { isJudgeWeak: true, belowMinimum: true })).toBe('neutral');
  });

  test('a pass rate below the minimum fails whatever the verdict', () => {
    for (const [word] of table) expect(concludeWith(word, {}, { belowMinimum: true })).toBe('failure');
  });

  test('`fail_on` makes any verdict red, and may leave "regressed" out', () => {
    expect(concludeWith('inconclusive', { fail_on: ['regressed', 'inconclusive'] })).toBe('failure');
    expect(concludeWith('regressed', { fail_on: [] })).toBe('neutral');
  });
});
