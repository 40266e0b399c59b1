import { expect, test } from 'vitest';
import { sumUsage } from './sum-usage.ts';

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
