import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { expect, test } from 'vitest';
import { planRun } from '../plan/plan-run.ts';
import { sampleCase, samplePlan, sampleSuite } from '../plan/sample-definitions.fixture.ts';
import { neededModels } from './needed-models.ts';

const heard: CassetteEntry = { key: 'a'.repeat(64), tool: 'get_hours', args: { day: 1 }, result: 'open' };
const call = (args: object) => ({
  ...{ id: '1', name: 'get_hours', args: { ...args }, argsError: null, result: 'open', error: null },
  ...{ source: 'mock' as const, entry: 0, turn: 0, durationMs: 1 },
});

/** What repeating the first case of a suite needs; the agent is asked at alpha, everything that measures is beta. */
function needs(testCase: object, suite: object = {}, { calls = [], recordings = [heard] }: Heard = {}): string[] {
  const measuring = { judge: { ai_configuration: 'beta' }, simulator: { ai_configuration: 'beta' } };
  const cases = [sampleCase('One', testCase)];
  const planned = planRun(samplePlan([sampleSuite({ suite: { ...measuring, ...suite, cases } })]));
  const work = planned.ok ? planned.plan.suiteRuns[0]?.testRuns[0]?.work : null;
  if (!work) throw new Error('The sample can be planned');
  const models = neededModels({ work, outcome: { toolCalls: calls.map(call) }, heard: recordings });
  return models.map(({ configuration }) => configuration);
}

interface Heard {
  calls?: object[];
  recordings?: CassetteEntry[];
}

const judged = { expected_behavior: { checks: [{ type: 'llm_judge', expected_answer: 'x' }] } };
const played = { mocks: [{ tool: 'get_hours', simulate: { instructions: 'Tells hours.' }, times: 'always' }] };
const persona = {
  kind: 'simulated',
  input: null,
  initial_message: 'Hi',
  expected_behavior: null,
  expected_outcomes: { a: 1 },
};

test.each([
  ['a case that code checks', {}, {}, ['alpha']],
  ['a case with a judge', judged, {}, ['alpha', 'beta']],
  ['a metric that compares texts', { ground_truth: 'x' }, { evaluations: { metrics: [{ metric: 'f1' }] } }, ['alpha']],
  ['a metric of the judge', {}, { evaluations: { metrics: [{ metric: 'fluency' }] } }, ['alpha', 'beta']],
  [
    'a metric of its own model',
    {},
    { evaluations: { metrics: [{ metric: 'fluency', model: 'alpha' }] } },
    ['alpha', 'alpha'],
  ],
  ['a simulated person', persona, {}, ['alpha', 'beta', 'beta']],
] as const)('%s', (_what, testCase, suite, expected) => {
  expect(needs(testCase, suite)).toEqual(expected);
});

test('a tool that a model plays asks it only where a call has no recorded answer', () => {
  expect(needs({}, played, { calls: [] })).toEqual(['alpha']);
  expect(needs({}, played, { calls: [{ day: 1 }] })).toEqual(['alpha']);
  expect(needs({}, played, { calls: [{ day: 1 }, { day: 2 }] })).toEqual(['alpha', 'beta']);
  expect(needs({}, played, { calls: [{ day: 1 }], recordings: [] })).toEqual(['alpha', 'beta']);
});
