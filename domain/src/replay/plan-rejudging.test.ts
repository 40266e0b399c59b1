import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { comparabilityKey } from '../plan/comparability-key.ts';
import { planRun } from '../plan/plan-run.ts';
import { sampleCase, samplePlan, sampleSuite } from '../plan/sample-definitions.ts';
import { planRejudging } from './plan-rejudging.ts';

/** A judged case as one plan of it says, with another judge or another set of mocks. */
function taskOf({ judge = 'alpha', mocks = [] }: { judge?: string; mocks?: object[] }) {
  const suite = {
    cases: [sampleCase('Judged', { expected_outcomes: { told: 'yes' } })],
    judge: { ai_configuration: judge },
    mocks,
  };
  const planned = planRun(samplePlan([sampleSuite({ suite })]));
  const testRun = planned.ok ? planned.plan.suiteRuns[0]?.testRuns[0] : undefined;
  if (testRun === undefined || testRun.work === null) throw new Error('The sample is a plan with one test run');
  const { caseHash, instrumentHash, work } = testRun;
  return { work, comparabilityKey: comparabilityKey(caseHash, instrumentHash, '{}') };
}

const outcome = (changes: object = {}): CaseOutcome =>
  CaseOutcome.parse({
    ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'When?', response: 'at 17' },
    ...{ executionTimeMs: 5, startedAt: '2025-11-01T00:00:00.000Z' },
    transcript: [
      { role: 'user', text: 'When?' },
      { role: 'agent', text: 'at 17' },
    ],
    ...changes,
  });

const answer = (testRunId: string, changes: object = {}) => ({
  testRunId,
  outcome: outcome(),
  ...taskOf({}),
  ...changes,
});

test('the base keeps its agent and its words, and gets the judge of the head', () => {
  const head = taskOf({ judge: 'beta' });
  const [base] = [answer('a')];
  const [planned] = planRejudging(head, [base]);
  expect(planned?.work).toMatchObject({
    ...{ agent: base.work.agent, seed: base.work.seed, variant: 'baseline', instrument: head.work.instrument },
    recorded: { testRunId: 'a', response: 'at 17' },
  });
  expect(planned?.work).not.toHaveProperty('contents');
});

test.each([
  ['one answer was cut', [answer('a'), answer('b', { outcome: outcome({ truncated: true }) })]],
  ['one answer is gone', [answer('a'), answer('b', { outcome: null })]],
  ['nobody understands what was given to the agent', [answer('a', { work: null })]],
  ['the mocks are others, too', [answer('a', taskOf({ mocks: [{ tool: 'get', returns: 1 }] }))]],
  ['nothing has changed', [answer('a', taskOf({ judge: 'beta' }))]],
])('where %s none of the case is judged again', (_what, answers) => {
  expect(planRejudging(taskOf({ judge: 'beta' }), answers)).toEqual([]);
});
