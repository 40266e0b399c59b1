import { expect, test } from 'vitest';
import { comparabilityKey, withParts } from '../plan/comparability-key.ts';
import type { Trial } from './count-trials.ts';
import { describeJudgedAgain, withJudgedAgain } from './judge-again.ts';
import { cases, read, type SampleOutcome } from './sample-trials.fixture.ts';
import { decide } from './sample-verdict.fixture.ts';

const numbered = (trials: readonly Trial[]): Trial[] =>
  trials.map((trial, index) => ({ ...trial, repetition: (index % 3) + 1, latencyMs: 100 + index, costUsd: 0.01 }));

/** Three trials of ten cases, judged by `judge`. */
function judgedBy(judge: string, outcome: SampleOutcome = 'pass', mock = 'none'): Trial[] {
  const parts = { judge, mock };
  return numbered(cases(10, outcome, 3)).map((trial) => ({
    ...trial,
    comparabilityKey: comparabilityKey(trial.caseName, withParts(JSON.stringify(parts), parts), '{}'),
  }));
}

const [old, head] = [judgedBy('old'), judgedBy('new')];

function verdictOf(again: readonly Trial[], stored = old) {
  const judgedAgain = describeJudgedAgain({ stored, again, head, commit: 'abc1234567' });
  return decide({ base: withJudgedAgain({ stored, again }), head, baseName: 'main', judgedAgain });
}

test('a base that was judged again is compared by what the new judge said', () => {
  const verdict = verdictOf(judgedBy('new', 'fail'));
  expect(verdict).toMatchObject({ word: 'improved', basePassRate: 0, headPassRate: 100 });
  expect(verdict.judgedAgain).toEqual({
    ...{ answers: 30, cases: 10, leftOut: 0, unjudged: 0 },
    ...{ changedParts: ['judge'], commit: 'abc1234567' },
  });
  expect(read(verdict)).toContain('The judge changed since `abc1234`: 30 stored answers of main were judged again.');
});

test('what an answer took and cost is still that of when it was given', () => {
  const free = judgedBy('new').map((trial) => ({ ...trial, costUsd: 0, latencyMs: 1 }));
  const [first] = withJudgedAgain({ stored: old, again: free });
  expect(first).toMatchObject({ latencyMs: 100, costUsd: 0.01, comparabilityKey: head[0]?.comparabilityKey });
});

test('a case that could not be judged again is left out and counted', () => {
  const verdict = verdictOf(judgedBy('new').slice(6));
  expect(verdict).toMatchObject({ judgedAgain: { answers: 24, cases: 8, leftOut: 2 } });
  expect(verdict.cases.slice(0, 2)).toMatchObject([{ notComparable: true }, { notComparable: true }]);
  expect(read(verdict)).toContain(
    '24 stored answers of main were judged again. 2 cases left out: an answer is not kept whole.',
  );
});

test('a stricter judge alone is no alarm', () => {
  const failing = judgedBy('new', 'fail');
  const alerts = [judgedBy('new', 'fail').slice(6), [], judgedBy('new')].map(
    (again) => decide({ base: withJudgedAgain({ stored: old, again }), head: failing }).alert,
  );
  expect(alerts.slice(0, 2)).toEqual([
    { fired: false, dropPoints: 0, newlyFailing: [] },
    { fired: false, dropPoints: null, newlyFailing: [] },
  ]);
  expect(alerts[2]).toMatchObject({ fired: true, dropPoints: 100 });
});

test('answers that no runner came to judge stay incomparable', () => {
  const again = judgedBy('new').map((trial, index) =>
    index < 29 ? { ...trial, status: 'skipped' as const, skipReason: 'budget' } : trial,
  );
  const verdict = verdictOf(again);
  expect(verdict).toMatchObject({ word: 'insufficient', judgedAgain: { answers: 1, cases: 1, unjudged: 29 } });
  expect(read(verdict)).toContain(
    '1 stored answer of main was judged again. 29 answers were not judged again in time.',
  );
});

test('without any answer that is kept whole nothing is compared, and it says why', () => {
  const verdict = verdictOf([]);
  expect(verdict).toMatchObject({ word: 'no-baseline', reason: 'not_comparable', judgedAgain: { leftOut: 10 } });
  expect(read(verdict).split('\n').slice(0, 2)).toEqual([
    'No baseline: the measuring setup changed',
    'The judge changed, main cannot be executed, and its stored answers are not kept whole, so they cannot be judged again. A run on main with the new setup makes a base.',
  ]);
});

test.each([
  ['nothing', judgedBy('new')],
  ['the mocks as well', judgedBy('old', 'pass', 'others')],
])('nothing is told of judging again where %s changed', (_what, stored) => {
  expect(describeJudgedAgain({ stored, again: [], head, commit: null })).toBeNull();
});

test('an error of judging again is never the agent, and the agent is never blamed twice', () => {
  const broken = (errorKind: Trial['errorKind']) => (trial: Trial) => ({
    ...trial,
    status: 'error' as const,
    errorKind,
  });
  const stored = [...old.slice(0, 1).map(broken('timeout')), ...old.slice(1, 2)];
  const again = judgedBy('new').slice(0, 2).map(broken('timeout'));
  expect(withJudgedAgain({ stored, again }).map(({ errorKind }) => errorKind)).toEqual(['timeout', 'judge']);
});
