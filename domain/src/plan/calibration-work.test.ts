import { CaseWork } from '@proofmark/contracts/case-work';
import { expect, test } from 'vitest';
import { calibrationTestRuns } from './calibration-work.ts';
import { sampleSuite } from './sample-definitions.fixture.ts';

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
