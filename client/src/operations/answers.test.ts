import { expect, test } from 'vitest';
import { runProgressOperation } from './run-progress.ts';
import { startRunOperation } from './start-run.ts';

const id = '00000000-0000-4000-8000-000000000000';

test('the words of the schema become ours', () => {
  const run = { status: 'COMPLETED', totalCases: 150, openCases: 116, totalSuiteRuns: 3, finishedSuiteRuns: 1 };
  expect(runProgressOperation.answer.parse({ run })).toEqual({
    status: 'completed',
    totalCases: 150,
    finishedCases: 34,
    totalSuiteRuns: 3,
    finishedSuiteRuns: 1,
    isEnded: true,
  });
});

test('a started run is its id', () => {
  const startRun = { __typename: 'StartRunSuccess', created: true, dispatch: 'DELAYED', run: { id } };
  expect(startRunOperation.answer.parse({ startRun })).toEqual({ ok: true, runId: id, created: true, isDelayed: true });
});

test('invalid definitions come with every problem and its place', () => {
  const problem = {
    severity: 'error',
    code: 'required',
    file: 'a.suite.yaml',
    line: 3,
    column: 5,
    path: 'cases',
    message: 'missing',
  };
  const startRun = {
    __typename: 'InvalidDefinitions',
    code: 'INVALID_DEFINITIONS',
    message: '1 problem',
    problems: [{ ...problem, hint: null }],
  };
  expect(startRunOperation.answer.parse({ startRun })).toEqual({
    ok: false,
    refusal: { code: 'INVALID_DEFINITIONS', message: '1 problem', problems: [problem], arguments: [], runId: null },
  });
});

test('a refusal that a later version adds is still one with a code', () => {
  const startRun = { __typename: 'OutOfQuota', code: 'OUT_OF_QUOTA', message: 'come back tomorrow' };
  expect(startRunOperation.answer.parse({ startRun })).toMatchObject({ ok: false, refusal: { code: 'OUT_OF_QUOTA' } });
});
