import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import {
  apiTokensOperation,
  createApiTokenOperation,
  revokeApiTokenOperation,
  rotateApiTokenOperation,
} from './api-tokens.ts';
import { downloadOperation, findRunsOperation, rerunRunOperation } from './find-runs.ts';
import {
  cancelRunOperation,
  runFeedbackOperation,
  runProgressOperation,
  runReportOperation,
  runResultOperation,
} from './run.ts';
import { startRunOperation, startStoredRunOperation } from './start-run.ts';
import { suiteRunReportOperation, suiteRunResultOperation, suiteRunTestRunsOperation } from './suite-run.ts';
import { onlyTestRunOperation, repeatTestRunOperation, testRunWorkOperation } from './test-run.ts';
import { exchangeTokenOperation, viewerOperation } from './token.ts';

const id = '00000000-0000-4000-8000-000000000000';

test('the words of the schema become ours', () => {
  const run = { status: 'COMPLETED', totalCases: 150, openCases: 116, totalSuiteRuns: 3, finishedSuiteRuns: 1 };
  expect(runProgressOperation.answer.parse({ run })).toEqual({
    status: 'completed',
    totalCases: 150,
    finishedCases: 34,
    totalSuiteRuns: 3,
    finishedSuiteRuns: 1,
    poolsWithoutRunners: [],
    isEnded: true,
  });
});

test('a started run is its id', () => {
  const success = { __typename: 'StartRunSuccess', created: true, run: { id } };
  const delayed = { ...success, dispatch: 'DELAYED', reporting: 'APP' };
  const started = { ok: true, runId: id, created: true, isDelayed: true, hasApp: true, warnings: [] };
  expect(startRunOperation.answer.parse({ startRun: delayed })).toEqual(started);
  const atOnce = { ...success, dispatch: 'IMMEDIATE', reporting: 'NONE' };
  expect(startRunOperation.answer.parse({ startRun: atOnce })).toMatchObject({ isDelayed: false, hasApp: false });
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
    refusal: {
      code: 'INVALID_DEFINITIONS',
      message: '1 problem',
      problems: [problem],
      arguments: [],
      runId: null,
      retryAfterMs: null,
    },
  });
});

test('a refusal that a later version adds is still one with a code', () => {
  const startRun = { __typename: 'OutOfQuota', code: 'OUT_OF_QUOTA', message: 'come back tomorrow' };
  expect(startRunOperation.answer.parse({ startRun })).toMatchObject({ ok: false, refusal: { code: 'OUT_OF_QUOTA' } });
});

test('a verdict that says more than we know is read all the same', () => {
  const detail = {
    word: 'regressed',
    basePassRate: 94,
    diffPoints: -12,
    flagged: ['Hours'],
    alert: { fired: true, dropPoints: 12, newlyFailing: [], by: 'later' },
    cases: [{ caseName: 'Hours', base: { planned: 3, later: 1 }, head: null, notComparable: false, later: true }],
    later: {},
  };
  const feedback = { outcome: 'regressed', headline: 'h', markdown: 'm', text: 't', costUsd: null, suitesTotal: 1 };
  const run = {
    id,
    status: 'COMPLETED',
    conclusion: 'FAILURE',
    verdictWord: 'REGRESSED',
    feedback: { ...feedback, suitesAffected: 1, annotations: [] },
    suiteRuns: [suiteRun({ verdict: { detail } })],
  };
  expect(runReportOperation.answer.parse({ run })?.suiteRuns[0]?.verdict).toEqual({ ...detail, headPassRate: null });
});

const suiteRun = (parts: object) => ({
  id,
  suiteName: 'Support',
  suitePath: null,
  cellKey: '',
  variant: 'CANDIDATE',
  purpose: 'FIRST',
  passedCases: 3,
  failedCases: 1,
  erroredCases: 1,
  verdict: null,
  ...parts,
});

test('the pass rate and the errors of a run are those of its head, whatever ran beside it', () => {
  const feedback = { outcome: 'regressed', headline: 'h', markdown: 'm', text: 't', costUsd: null };
  const run = {
    id,
    status: 'COMPLETED',
    conclusion: 'FAILURE',
    verdictWord: 'REGRESSED',
    feedback: { ...feedback, suitesTotal: 1, suitesAffected: 1, annotations: [] },
    suiteRuns: [
      suiteRun({ variant: 'BASELINE', passedCases: 4, failedCases: 0, erroredCases: 0 }),
      suiteRun({}),
      suiteRun({ variant: 'HEAD', passedCases: 0, failedCases: 0, erroredCases: 0 }),
      suiteRun({ purpose: 'CONFIRM', passedCases: 9, failedCases: 0, erroredCases: 9 }),
    ],
  };
  expect(runReportOperation.answer.parse({ run })).toMatchObject({ passRate: 75, erroredCases: 1 });
  expect(runReportOperation.answer.parse({ run: { ...run, suiteRuns: [] } })?.passRate).toBeNull();
});

const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));

test('a page of runs comes with the words of ours, and with the way to the next one', () => {
  const head = { totalCases: 3, passedCases: 2, failedCases: 1, erroredCases: 0, passRate: 66.7 };
  const run = {
    ...{
      id,
      status: 'COMPLETED',
      triggeredBy: 'CI',
      verdictWord: 'NO_BASELINE',
      repository: 'acme/shop',
      headSha: null,
    },
    ...{
      pullRequest: 7,
      author: 'alice',
      createdBy: 'ci',
      createdAt: '2026-01-01T00:00:00.000Z',
      durationMs: 12,
      costUsd: null,
      head,
    },
  };
  const answer = (hasNextPage: boolean) => ({
    runs: { edges: [{ node: run }], pageInfo: { hasNextPage, endCursor: 'c' } },
  });
  expect(findRunsOperation.answer.parse(answer(true))).toMatchObject({
    runs: [{ id, status: 'completed', triggeredBy: 'ci', verdictWord: 'no-baseline', head }],
    endCursor: 'c',
  });
  expect(findRunsOperation.answer.parse(answer(false)).endCursor).toBeNull();
});

test('a new token is itself and its id, or why there is none', () => {
  const made = { __typename: 'CreateApiTokenSuccess', token: 'pmk_x', apiToken: { id } };
  expect(createApiTokenOperation.answer.parse({ createApiToken: made })).toEqual({ ok: true, id, token: 'pmk_x' });
  const refused = { __typename: 'NotFound', code: 'NOT_FOUND', message: 'There is no token with this id.' };
  expect(rotateApiTokenOperation.answer.parse({ rotateApiToken: refused })).toMatchObject({
    ok: false,
    refusal: { code: 'NOT_FOUND' },
  });
  expect(revokeApiTokenOperation.answer.parse({ revokeApiToken: { __typename: 'RevokeApiTokenSuccess' } })).toEqual({
    ok: true,
  });
});

test.for([
  apiTokensOperation,
  createApiTokenOperation,
  downloadOperation,
  findRunsOperation,
  rerunRunOperation,
  revokeApiTokenOperation,
  rotateApiTokenOperation,
  cancelRunOperation,
  exchangeTokenOperation,
  onlyTestRunOperation,
  repeatTestRunOperation,
  runFeedbackOperation,
  runProgressOperation,
  runReportOperation,
  runResultOperation,
  startRunOperation,
  startStoredRunOperation,
  suiteRunReportOperation,
  suiteRunResultOperation,
  suiteRunTestRunsOperation,
  testRunWorkOperation,
  viewerOperation,
])('$name is valid against schema.graphql', ({ text }) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
});
