import { expect, test } from 'vitest';
import { formatDuration, formatUtc, twoDecimals } from '../text/format-numbers.ts';
import { balancedPassRate, groupResults, summarize } from './summarize.ts';

test('S0-92 S0-93 S0-94 zero scores count into the mean and missing ones do not', () => {
  const result = (score: number | null) => ({
    passed: true,
    execution_time_ms: 2,
    metric_results: [{ metric_name: 'relevance', score }],
  });
  expect(summarize([result(1), result(0), result(null)])).toMatchObject({
    total_duration_ms: 6,
    metrics_evaluated: { relevance: 2 },
    average_scores: { relevance: 0.5 },
  });
});

test('a metric named like a property of every object is counted too', () => {
  const result = { passed: true, execution_time_ms: 1, metric_results: [{ metric_name: 'constructor', score: 1 }] };
  expect(summarize([result]).metrics_evaluated).toEqual({ constructor: 1 });
});

test('S0-139 S0-136 measures are written as seed 000 writes them', () => {
  expect([formatDuration(45_000), formatDuration(3500), formatDuration(0)]).toEqual(['45.0s', '3.5s', '0.0s']);
  expect(formatUtc('2025-11-01T15:30:00+01:00')).toBe('2025-11-01 14:30:00 UTC');
  expect([twoDecimals(0.95), twoDecimals(-0.001)]).toEqual(['0.95', '0.00']);
});

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
