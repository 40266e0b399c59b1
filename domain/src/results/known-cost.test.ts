import { expect, test } from 'vitest';
import { knownCostUsd, totalCostUsd } from './known-cost.ts';

test('agent, judge and embeddings are added up, what is unknown counts as nothing', () => {
  const judge = { role: 'judge' as const, calls: 2, usage: null, costUsd: 0.5 };
  const embedding = { role: 'embedding' as const, calls: 1, usage: null, costUsd: null };
  expect(knownCostUsd({ costUsd: 0.25, measuring: [judge, embedding] })).toBe(0.75);
  expect(knownCostUsd({ costUsd: null })).toBe(0);
  expect(totalCostUsd({ costUsd: null, measuring: [embedding] })).toBe(null);
  expect(totalCostUsd({ costUsd: 0, measuring: [embedding] })).toBe(0);
});
