import { describe, expect, test } from 'vitest';
import { type Reducer, reduceTrials } from './reducers.ts';

const statuses = (reducer: Reducer) => [0, 1, 2, 3, 4].map((passed) => reduceTrials({ scored: 4, passed }, reducer));

describe('one status from repetitions', () => {
  test('majority needs more than half: a tie is failed', () => {
    expect(statuses({ kind: 'majority' })).toEqual(['failed', 'failed', 'failed', 'passed', 'passed']);
  });

  test('all, any and at least k', () => {
    expect(statuses({ kind: 'all' })).toEqual(['failed', 'failed', 'failed', 'failed', 'passed']);
    expect(statuses({ kind: 'any' })).toEqual(['failed', 'passed', 'passed', 'passed', 'passed']);
    expect(statuses({ kind: 'at_least', k: 2 })).toEqual(['failed', 'failed', 'passed', 'passed', 'passed']);
  });

  test('no scored trial is an error, never a pass', () => {
    for (const kind of ['majority', 'all', 'any'] as const) {
      expect(reduceTrials({ scored: 0, passed: 0 }, { kind })).toBe('error');
    }
  });

  test('the default is majority', () => {
    expect(reduceTrials({ scored: 3, passed: 2 })).toBe('passed');
  });
});
