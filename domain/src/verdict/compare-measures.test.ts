import { expect, test } from 'vitest';
import { compareMeasures } from './compare-measures.ts';
import { groupByCase, type Trial } from './count-trials.ts';

const trial = (caseName: string, given: Partial<Trial>): Trial => ({
  caseName,
  comparabilityKey: caseName,
  status: 'passed',
  errorKind: null,
  ...given,
});

const compare = (base: Trial[], head: Trial[]) => compareMeasures({ base: groupByCase(base), head: groupByCase(head) });

test('a case that ran often weighs as much as one that ran once', () => {
  const base = [trial('a', { latencyMs: 100 }), trial('b', { latencyMs: 100 })];
  const slow = Array.from({ length: 8 }, () => trial('a', { latencyMs: 300 }));
  const { latencyMs } = compare(base, [...slow, trial('b', { latencyMs: 100 })]);
  expect(latencyMs.diff?.mean).toBe(100);
  expect(latencyMs.base).toEqual({ mean: 100, p50: 100, p95: 100 });
  expect(latencyMs.head?.p50).toBe(300);
});

test('what is not known is not 0, and without two cases there is no interval', () => {
  const base = [trial('a', { costUsd: 0.2, tokens: null }), trial('b', { costUsd: null })];
  const { costUsd, tokens } = compare(base, [trial('a', { costUsd: 0 }), trial('b', { costUsd: 1 })]);
  expect(costUsd).toMatchObject({ base: { mean: 0.2 }, head: { mean: 0.5 }, diff: null });
  expect(tokens).toEqual({ base: null, head: null, diff: null });
});

test('a case of one side only has no difference', () => {
  const both = ['a', 'b'].map((name) => trial(name, { tokens: 10 }));
  const { tokens } = compare(both, [...both, trial('new', { tokens: 9_000 })]);
  expect(tokens.diff).toEqual({ mean: 0, lo: 0, hi: 0 });
});
