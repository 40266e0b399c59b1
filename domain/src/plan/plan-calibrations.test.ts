import type { Calibration } from '@proofmark/contracts/calibration';
import { expect, test } from 'vitest';
import { judgeHash } from './judge-hash.ts';
import { planCalibrations } from './plan-calibrations.ts';
import { planned } from './read-plan.fixture.ts';
import { sampleCase, sampleDefinitions, samplePlan, sampleSuite } from './sample-definitions.fixture.ts';

const calibration: Calibration = { path: 'labels.jsonl', answers: [], digest: 'd' };

const found = (suite: object, given: Calibration | undefined = calibration, request: object = {}) => {
  const loaded = { ...sampleSuite({ suite }), ...(given && { calibration: given }) };
  const { suiteRuns } = planned(samplePlan([loaded], request));
  return planCalibrations(sampleDefinitions([loaded]), suiteRuns);
};
const judged = sampleCase('Judged', { expected_outcomes: { refunded: true } });
const judge = { ai_configuration: 'beta' };

test('a suite whose judge decides about something is measured once, however many cells and repetitions it has', () => {
  const [only, ...rest] = found({ judge, cases: [judged], repetitions: 3, matrix: { Day: ['Monday', 'Friday'] } });
  expect(rest).toEqual([]);
  expect(only).toMatchObject({ loaded: { path: 'support.suite.yaml' }, calibration, instrument: { judge: {} } });
  expect(only?.judgeHash).toBe(judgeHash([{ configuration: 'any', provider: 'openai', model: 'beta-1' }]));
});

test('a judge that decides about nothing in the run is not asked, nor one without labelled answers', () => {
  expect(found({ judge, cases: [sampleCase('Plain')] })).toEqual([]);
  expect(found({ judge, cases: [judged, sampleCase('Plain')] }, calibration, { cases: ['Plain'] })).toEqual([]);
  expect(planCalibrations(sampleDefinitions([sampleSuite({ suite: { judge, cases: [judged] } })]), [])).toEqual([]);
});

test('the judge of a suite is known without a case: its models and its rubric', () => {
  const model = { configuration: 'a', provider: 'openai' as const, model: 'm' };
  expect(judgeHash([model])).toBe(judgeHash([{ ...model, configuration: 'b' }]));
  expect(judgeHash([model])).not.toBe(judgeHash([model, model]));
  expect(judgeHash([model])).not.toBe(judgeHash([model], 'Be strict.'));
});
