import { describe, expect, test } from 'vitest';
import { planRun } from '../plan/plan-run.ts';
import { sampleCase, sampleDefinitions, sampleRequest, sampleSuite } from '../plan/sample-definitions.fixture.ts';
import { type AskedSide, freshWork, planConfirmation, planDrift } from './plan-fresh-trials.ts';

const asked = (repetitions: number, ...names: string[]): AskedSide<{ caseName: string }> => ({
  cases: names.map((caseName) => ({ caseName })),
  repetitions,
});

describe('a confirmation', () => {
  const plan = (
    head: AskedSide<{ caseName: string }>,
    base: AskedSide<{ caseName: string }>,
    last = head.repetitions,
  ) => planConfirmation({ head, base, last });

  test('asks all cases again on both sides, at least three times, with repetitions that nobody has had', () => {
    const { cases } = asked(1, 'Hours', 'Price');
    const once = { cases, repetitions: [2, 3, 4] };
    expect(plan(asked(1, 'Hours', 'Price'), asked(1, 'Hours', 'Price'))).toEqual({ head: once, base: once });
    const often = { cases, repetitions: [5, 6, 7, 8] };
    expect(plan(asked(4, 'Hours', 'Price'), asked(4, 'Hours', 'Price'))).toEqual({ head: often, base: often });
  });

  test('is numbered on after whatever ran in the cell, so that no seed comes twice', () => {
    expect(plan(asked(3, 'Hours'), asked(1, 'Hours'), 3)?.base.repetitions).toEqual([4, 5, 6]);
    expect(plan(asked(3, 'Hours'), asked(1, 'Hours'), 5)?.head.repetitions).toEqual([6, 7, 8]);
  });

  test('leaves out a case that only one side has: it can confirm nothing', () => {
    const planned = plan(asked(1, 'Hours', 'New', 'Price'), asked(1, 'Old', 'Price', 'Hours'));
    expect(planned?.head.cases.map(({ caseName }) => caseName)).toEqual(['Hours', 'Price']);
    expect(planned?.base.cases.map(({ caseName }) => caseName)).toEqual(['Price', 'Hours']);
    expect(plan(asked(1, 'New'), asked(1, 'Old'))).toBeNull();
  });
});

test('a base that drifted is asked as often as the head, and not when it was already', () => {
  const head = asked(3, 'Hours', 'New');
  expect(planDrift({ head, base: asked(1, 'Hours') })).toEqual({ cases: [{ caseName: 'Hours' }], repetitions: [2, 3] });
  expect(planDrift({ head, base: asked(3, 'Hours') })).toBeNull();
  expect(planDrift({ head, base: asked(1) })).toBeNull();
});

test('a fresh trial has a seed of its own, equal for both sides, and is the same work in everything else', () => {
  const definitions = sampleDefinitions([sampleSuite({ suite: { cases: [sampleCase('Hours')] } })]);
  const planned = planRun({ definitions, request: sampleRequest({ repetitions: 1 }), runSeed: 'seed' });
  const first = planned.ok ? planned.plan.suiteRuns[0]?.testRuns[0] : undefined;
  if (!first?.work) throw new Error('The sample has a case that runs');
  const { work, caseKey } = first;
  const again = (repetition: number) => freshWork(work, { runSeed: 'seed', caseKey, repetition });
  expect(again(1)).toEqual(work);
  expect(again(2)).toEqual(again(2));
  expect({ ...again(2), repetition: 1, seed: work.seed }).toEqual(work);
  expect(new Set([work.seed, again(2).seed, again(3).seed]).size).toBe(3);
});
