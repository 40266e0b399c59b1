import { expect, test } from 'vitest';
import { planConfirmation } from './plan-confirmation.ts';
import { type PlannedSuiteRun, planRun } from './plan-run.ts';
import { sampleCase, sampleDefinitions, sampleRequest, sampleSuite } from './sample-definitions.ts';

function planned(repetitions: number) {
  const cases = [sampleCase('Hours'), sampleCase('Draft', { status: 'draft' }), sampleCase('Price')];
  const definitions = sampleDefinitions([sampleSuite({ suite: { cases } })]);
  const result = planRun({ definitions, request: sampleRequest({ repetitions }), runSeed: 'seed' });
  const suiteRun = result.ok ? result.plan.suiteRuns[0] : undefined;
  if (suiteRun === undefined) throw new Error('The sample has a suite');
  return suiteRun;
}

const again = (planned: PlannedSuiteRun, rounds: number, partner = planned) =>
  planConfirmation(planned, { rounds, runSeed: 'seed', partner });

const names = (repetitions: number) =>
  again(planned(repetitions), repetitions).testRuns.map(({ caseName, repetition }) => `${caseName} ${repetition}`);

test('all executed cases run again, at least three times, with repetitions nobody has run', () => {
  expect(names(1)).toEqual(['Hours 2', 'Price 2', 'Hours 3', 'Price 3', 'Hours 4', 'Price 4']);
  expect(names(4)).toHaveLength(8);
  expect(names(4).at(-1)).toBe('Price 8');
});

test('the fresh trials have seeds of their own, equal for both sides, and stay comparable', () => {
  const first = planned(1);
  const rerun = again(first, 1);
  const seeds = [...first.testRuns, ...rerun.testRuns].flatMap(({ work }) => work?.seed ?? []);
  expect(new Set(seeds).size).toBe(8);
  expect(again(first, 1)).toEqual(rerun);
  expect(new Set(rerun.testRuns.map(({ caseHash, instrumentHash }) => caseHash + instrumentHash))).toEqual(
    new Set(first.testRuns.filter(({ work }) => work).map(({ caseHash, instrumentHash }) => caseHash + instrumentHash)),
  );
});

test('a case that the other side does not have can confirm nothing, and is not run', () => {
  const head = planned(1);
  const base = { ...head, testRuns: head.testRuns.filter(({ caseName }) => caseName !== 'Price') };
  expect(new Set(again(head, 1, base).testRuns.map(({ caseName }) => caseName))).toEqual(new Set(['Hours']));
});
