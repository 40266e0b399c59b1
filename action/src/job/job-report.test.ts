import { Gate } from '@proofmark/contracts/gate';
import { Verdict } from '@proofmark/contracts/verdict';
import { expect, test } from 'vitest';
import { type JobSummary, outputsOf } from './job-report.ts';

const counts = { planned: 1, passed: 1, failed: 0, errored: 0, invalid: 0 };

function verdict(
  compared: number,
  rates: Pick<Verdict, 'basePassRate' | 'headPassRate'>,
  broken: string[] = [],
): Verdict {
  return Verdict.parse({
    word: 'unchanged',
    reason: null,
    conclusion: 'success',
    title: '',
    paragraph: [],
    lines: [],
    diffPoints: null,
    ciLoPoints: null,
    ciHiPoints: null,
    p: null,
    midp: null,
    flagged: broken,
    alert: { fired: false, dropPoints: null, newlyFailing: broken },
    belowMinimum: false,
    cases: Array.from({ length: compared }, (_, at) => ({
      caseName: `case ${at}`,
      base: counts,
      head: counts,
      notComparable: false,
      quarantined: false,
    })),
    settings: { gate: Gate.parse({}), alertOnRegression: true, alertThresholdPercent: 10, onError: 'block' },
    ...rates,
  });
}

const outputs = (verdicts: Verdict[], more: Partial<JobSummary> = {}) =>
  outputsOf({
    outcome: 'unchanged',
    conclusion: 'success',
    verdictWord: 'unchanged',
    headline: '',
    markdown: '',
    text: '',
    annotations: [],
    passRate: 90,
    verdicts,
    erroredCount: 0,
    suitesTotal: 2,
    suitesAffected: 2,
    costUsd: null,
    ...more,
  });

test('metrics that were measured in too few cases are counted, those of an older coordinator not at all', () => {
  const metric = { metric: 'fluency', measured: 0, wanted: 2, reason: 'down', isEnough: false };
  const dead = {
    ...verdict(1, { basePassRate: 90, headPassRate: 90 }),
    unmeasured: [metric, { ...metric, isEnough: true }],
  };
  expect(outputs([dead, dead])).toMatchObject({ 'unmeasured-count': '2' });
  const { unmeasured: _unknown, ...old } = dead;
  expect(outputs([], { verdicts: [old] })).toMatchObject({ 'unmeasured-count': '0' });
});

test('several suites count with their compared cases, in three numbers that fit each other', () => {
  const verdicts = [
    verdict(30, { basePassRate: 90, headPassRate: 80 }, ['a', 'b']),
    verdict(10, { basePassRate: 50, headPassRate: 52 }),
  ];
  expect(outputs(verdicts)).toMatchObject({
    'pass-rate': '73.0',
    'baseline-pass-rate': '80.0',
    delta: '-7.0',
    'regressed-count': '2',
  });
});

test('what is not known is empty, never zero', () => {
  const known = outputs([verdict(0, { basePassRate: null, headPassRate: null })], { passRate: null, conclusion: null });
  expect(known).toMatchObject({ 'pass-rate': '', 'baseline-pass-rate': '', delta: '', 'cost-usd': '', conclusion: '' });
  expect(outputs([])).toMatchObject({ verdict: '', outcome: 'unchanged' });
});

test.for([
  [2.04, '+2.0'],
  [0.04, '0.0'],
  [-0.04, '0.0'],
  [-12, '-12.0'],
] as const)('a change of %s points is written %s', ([diffPoints, delta]) => {
  expect(outputs([verdict(1, { basePassRate: 50, headPassRate: 50 + diffPoints })]).delta).toBe(delta);
});
