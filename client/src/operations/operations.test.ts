import { expect, test } from 'vitest';
import type { FindRunsQuery, RunReportQuery, StartedFragment } from './documents.ts';
import { madeTokenOf, revokedOf, startedOf } from './refusal.ts';
import { foundRunsOf, progressOf, reportOf } from './run.ts';

const id = '00000000-0000-4000-8000-000000000000';

test('the words of the schema become ours', () => {
  const counts = { totalCases: 150, openCases: 116, totalSuiteRuns: 3, finishedSuiteRuns: 1 };
  expect(progressOf({ status: 'COMPLETED', ...counts, poolsWithoutRunners: [] })).toEqual({
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
  const success = { __typename: 'StartRunSuccess' as const, created: true, run: { id }, warnings: [] };
  const delayed: StartedFragment = { ...success, dispatch: 'DELAYED', reporting: 'APP' };
  const started = { ok: true, runId: id, created: true, isDelayed: true, hasApp: true, warnings: [] };
  expect(startedOf(delayed)).toEqual(started);
  const atOnce: StartedFragment = { ...success, dispatch: 'IMMEDIATE', reporting: 'NONE' };
  expect(startedOf(atOnce)).toMatchObject({ isDelayed: false, hasApp: false });
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
    __typename: 'InvalidDefinitions' as const,
    code: 'INVALID_DEFINITIONS',
    message: '1 problem',
    problems: [{ ...problem, hint: null }],
  };
  expect(startedOf(startRun)).toEqual({
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
  const startRun = { code: 'OUT_OF_QUOTA', message: 'come back tomorrow' };
  // It has a type that this client was not printed for.
  expect(startedOf({ ...startRun, __typename: 'OutOfQuota' as 'NotFound' })).toMatchObject({
    ok: false,
    refusal: { code: 'OUT_OF_QUOTA' },
  });
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
    status: 'COMPLETED' as const,
    conclusion: 'FAILURE' as const,
    verdictWord: 'REGRESSED' as const,
    feedback: { ...feedback, suitesAffected: 1, annotations: [] },
    suiteRuns: [suiteRun({ verdict: { detail } })],
  };
  expect(reportOf(run).suiteRuns[0]?.verdict).toEqual({ ...detail, headPassRate: null });
});

type Reported = NonNullable<RunReportQuery['run']>['suiteRuns'][number];

const suiteRun = (parts: Partial<Reported>): Reported => ({
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
    status: 'COMPLETED' as const,
    conclusion: 'FAILURE' as const,
    verdictWord: 'REGRESSED' as const,
    feedback: { ...feedback, suitesTotal: 1, suitesAffected: 1, annotations: [] },
    suiteRuns: [
      suiteRun({ variant: 'BASELINE', passedCases: 4, failedCases: 0, erroredCases: 0 }),
      suiteRun({}),
      suiteRun({ variant: 'HEAD', passedCases: 0, failedCases: 0, erroredCases: 0 }),
      suiteRun({ purpose: 'CONFIRM', passedCases: 9, failedCases: 0, erroredCases: 9 }),
    ],
  };
  expect(reportOf(run)).toMatchObject({ passRate: 75, erroredCases: 1 });
  expect(reportOf({ ...run, suiteRuns: [] }).passRate).toBeNull();
});

test('a page of runs comes with the words of ours, and with the way to the next one', () => {
  const head = { totalCases: 3, passedCases: 2, failedCases: 1, erroredCases: 0, passRate: 66.7 };
  const run: FindRunsQuery['runs']['edges'][number]['node'] = {
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
  const answer = (hasNextPage: boolean): FindRunsQuery => ({
    runs: { edges: [{ node: run }], pageInfo: { hasNextPage, endCursor: 'c' } },
  });
  expect(foundRunsOf(answer(true))).toMatchObject({
    runs: [{ id, status: 'completed', triggeredBy: 'ci', verdictWord: 'no-baseline', head }],
    endCursor: 'c',
  });
  expect(foundRunsOf(answer(false)).endCursor).toBeNull();
});

test('a new token is itself and its id, or why there is none', () => {
  const made = { __typename: 'CreateApiTokenSuccess', token: 'pmk_x', apiToken: { id } };
  expect(madeTokenOf(made)).toEqual({ ok: true, id, token: 'pmk_x' });
  const refused = { __typename: 'NotFound' as const, code: 'NOT_FOUND', message: 'There is no token with this id.' };
  expect(madeTokenOf(refused)).toMatchObject({
    ok: false,
    refusal: { code: 'NOT_FOUND' },
  });
  expect(revokedOf({ __typename: 'RevokeApiTokenSuccess' })).toEqual({
    ok: true,
  });
});
