import { expect, test } from 'vitest';
import { formatDuration, formatUtc, twoDecimals } from '../text/format-numbers.ts';
import { summarize } from './summarize.ts';

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
