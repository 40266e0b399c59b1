import { expect, test } from 'vitest';
import { balancedPassRate, groupResults } from './group-results.ts';

const result = (status: 'passed' | 'failed' | 'error', difficulty: 'normal' | 'hard', ...tags: string[]) => ({
  case: { difficulty, tags },
  outcome: { status },
});

test('S1-42 S1-43 the pass rate is broken down by difficulty and by tag, errors counting as failed', () => {
  const results = [
    result('passed', 'normal', 'refund'),
    result('failed', 'hard', 'refund', 'red-team'),
    result('error', 'hard'),
    result('passed', 'hard', 'red-team'),
  ];
  expect(groupResults(results)).toEqual([
    { by: 'difficulty', name: 'normal', passed: 1, executed: 1, passRate: 100 },
    { by: 'difficulty', name: 'hard', passed: 1, executed: 3, passRate: (1 / 3) * 100 },
    { by: 'tag', name: 'refund', passed: 1, executed: 2, passRate: 50 },
    { by: 'tag', name: 'red-team', passed: 1, executed: 2, passRate: 50 },
  ]);
});

test('nothing executed has no groups, and a tag may be called like a property of every object', () => {
  expect(groupResults([])).toEqual([]);
  expect(groupResults([result('passed', 'normal', 'constructor')]).map(({ name }) => name)).toEqual([
    'normal',
    'constructor',
  ]);
});

test('S1-42 a weighted pass rate counts each difficulty alike, however many cases it has', () => {
  const easy = Array.from({ length: 8 }, () => result('passed', 'normal'));
  const hard = [result('failed', 'hard'), result('passed', 'hard')];
  expect(balancedPassRate(groupResults([...easy, ...hard]))).toBe(75);
  expect(balancedPassRate(groupResults(easy))).toBeNull();
});
