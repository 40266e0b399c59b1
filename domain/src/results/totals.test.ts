import { expect, test } from 'vitest';
import { knownCostUsd, passRate, sumUsage, totalCostUsd } from './totals.ts';

test('S0-91 the rate is a percentage of the executed cases', () => {
  expect(passRate({ passed: 8, total: 10, skipped: 0 })).toBe(80);
  expect(passRate({ passed: 8, total: 10, skipped: 1 })).toBeCloseTo(800 / 9, 12);
});

test('S0-91 nothing executed has no rate', () => {
  expect(passRate({ passed: 0, total: 0, skipped: 0 })).toBeNull();
  expect(passRate({ passed: 0, total: 4, skipped: 4 })).toBeNull();
});

test('agent, judge and embeddings are added up, what is unknown counts as nothing', () => {
  const judge = { role: 'judge' as const, calls: 2, usage: null, costUsd: 0.5 };
  const embedding = { role: 'embedding' as const, calls: 1, usage: null, costUsd: null };
  expect(knownCostUsd({ costUsd: 0.25, measuring: [judge, embedding] })).toBe(0.75);
  expect(knownCostUsd({ costUsd: null })).toBe(0);
  expect(totalCostUsd({ costUsd: null, measuring: [embedding] })).toBe(null);
  expect(totalCostUsd({ costUsd: 0, measuring: [embedding] })).toBe(0);
});

test('tokens of several calls are one sum, those that were cached among them', () => {
  const plain = { promptTokens: 10, completionTokens: 2 };
  expect(sumUsage([plain, plain])).toEqual({ promptTokens: 20, completionTokens: 4 });
  expect(sumUsage([plain, { ...plain, cachedTokens: 7 }, { ...plain, cachedTokens: 1 }])).toEqual({
    ...{ promptTokens: 30, completionTokens: 6, cachedTokens: 8 },
  });
});

test('one call without usage makes the sum unknown: the others alone would look complete', () => {
  expect(sumUsage([{ promptTokens: 10, completionTokens: 2 }, null])).toBeNull();
  expect(sumUsage([])).toEqual({ promptTokens: 0, completionTokens: 0 });
});
