import type { Calibration } from '@proofmark/contracts/calibration';
import { CaseWork } from '@proofmark/contracts/case-work';
import { expect, test } from 'vitest';
import { judgeHash } from './content-hashes.ts';
import { calibrationTestRuns, planCalibrations } from './plan-calibrations.ts';
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

const loaded = sampleSuite();
const instrument = {
  ...{ judge: { configuration: 'j', provider: 'openai' as const, model: 'm' }, embedding: null, simulator: null },
  ...{ evaluations: null, mocks: [], mockSettings: { mode: 'mock' as const, unmatched: 'error' as const, state: {} } },
};
const limits = { caseTimeoutMs: 1000, agentTimeoutMs: 1000, maxTurns: 1 };
const transcript = [
  { role: 'user' as const, text: 'When?' },
  { role: 'agent' as const, text: 'On Monday.' },
];
const answers = [
  { line: 2, answer: { response: 'Tuesday', criterion: 'names a day', label: 'passed' as const } },
  { line: 5, answer: { transcript, criterion: 'names an hour', label: 'failed' as const } },
];
const made = calibrationTestRuns(
  { loaded, calibration: { path: 'l.jsonl', answers, digest: 'd' }, instrument },
  limits,
);

test('every labelled answer is work that a runner can do: a recorded conversation with one expected outcome', () => {
  for (const { work } of made) expect(CaseWork.parse(work)).toEqual(work);
  expect(made.map(({ caseName, work }) => [caseName, work?.recorded?.response, work?.recorded?.transcript])).toEqual([
    ['l.jsonl:2', 'Tuesday', [{ role: 'agent', text: 'Tuesday' }]],
    ['l.jsonl:5', 'On Monday.', transcript],
  ]);
  expect(made.map(({ work }) => work?.case.expected_outcomes)).toEqual([
    { criterion: 'names a day' },
    { criterion: 'names an hour' },
  ]);
});

test('nothing in it says what people thought of the answer, and no case of the suite is in it', () => {
  expect(JSON.stringify(made)).not.toMatch(/"label"|"passed"|"failed"|Hours/);
});
