import { describe, expect, test } from 'vitest';
import { validateEvaluationConfig, validateMetric } from './validate.ts';

const errors = (value: object): string[] => {
  const result = validateMetric({ metric: 'relevance', ...value });
  return result.valid ? [] : result.errors.map(({ path, code }) => `${code} ${path}`);
};

test('S0-31 an evaluations block without a metric is refused', () => {
  expect(validateEvaluationConfig({ metrics: [] })).toEqual({
    valid: false,
    errors: [{ path: 'metrics', code: 'too_short' }],
  });
  expect(validateEvaluationConfig({ metrics: [{ metric: 'relevance' }] })).toMatchObject({ valid: true });
});

describe('a metric', () => {
  test('has the switches of seed 000 with their defaults', () => {
    expect(validateMetric({ metric: 'relevance' })).toEqual({
      valid: true,
      normalized: { metric: 'relevance', type: 'standard', enabled: true, fail_on_error: false },
    });
  });

  test.each([
    ['S0-41 an empty name', { metric: '' }, ['too_short metric']],
    ['S0-42 a threshold as text', { threshold: '0.7' }, ['invalid_type threshold']],
    ['S0-43 no retry', { retry_on_failure: 0 }, ['out_of_range retry_on_failure']],
    ['S0-43 four retries', { retry_on_failure: 4 }, ['out_of_range retry_on_failure']],
    ['S0-43 half a retry', { retry_on_failure: 1.5 }, ['invalid_type retry_on_failure']],
    ['S0-44 no time', { timeout_ms: 0 }, ['out_of_range timeout_ms']],
    ['S0-44 less than no time', { timeout_ms: -1 }, ['out_of_range timeout_ms']],
  ])('with a wrong value is refused (S0-41…S0-44): %s', (_, value, expected) => {
    expect(errors(value)).toEqual(expected);
  });

  test('whose response_path leads nowhere in any answer is refused before a run', () => {
    for (const response_path of ['items[', 'items[*].id', 'a..b', '$..price'])
      expect(errors({ metric: 'numeric', response_path })).toEqual(['invalid_format response_path']);
    for (const response_path of ['items[0].id', '$', '$["odd key"].x', 'items[{{Position}}]'])
      expect(errors({ metric: 'numeric', response_path })).toEqual([]);
  });

  test('S0-43 one, two and three retries are fine', () => {
    for (const retry_on_failure of [1, 2, 3]) expect(errors({ retry_on_failure })).toEqual([]);
  });
});
