import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { expect, test } from 'vitest';
import { isMeasuredAlike, withGatesOf } from './base-definitions.ts';
import { sampleCase, sampleDefinitions, sampleSuite } from './sample-definitions.fixture.ts';

test('a change cannot loosen the gate that it has to pass', () => {
  const base = sampleDefinitions([sampleSuite({ suite: { gate: { min_pass_rate: 90 }, alert_threshold_percent: 5 } })]);
  const head = sampleSuite({ suite: { gate: { min_pass_rate: 10, fail_on: [] }, repetitions: 7 } });
  const { suites, changed } = withGatesOf(base, [head]);
  expect(suites[0]?.suite).toMatchObject({
    gate: { min_pass_rate: 90, fail_on: ['regressed'] },
    alert_threshold_percent: 5,
    repetitions: 7,
  });
  expect(changed).toEqual(['Support']);
});

test('a suite that the base does not have keeps its own, and an equal gate is no change', () => {
  const own = sampleSuite({ suite: { name: 'New', gate: { min_pass_rate: 10 } }, path: 'new.suite.yaml' });
  expect(withGatesOf(sampleDefinitions([sampleSuite()]), [own, sampleSuite()])).toMatchObject({
    suites: [{ suite: { gate: { min_pass_rate: 10 } } }, {}],
    changed: [],
  });
});

test('labelled answers are those of the base: a change cannot make its judge look weak', () => {
  const labelled = (digest: string) => ({ ...sampleSuite(), calibration: { path: 'l.jsonl', answers: [], digest } });
  const gated = (base: LoadedSuite, head: LoadedSuite) => {
    const { suites, changed } = withGatesOf(sampleDefinitions([base]), [head]);
    return [suites[0]?.calibration?.digest, changed.length];
  };
  expect(gated(labelled('a'), labelled('b'))).toEqual(['a', 1]);
  expect(gated(labelled('a'), labelled('a'))).toEqual(['a', 0]);
  expect(gated(labelled('a'), sampleSuite())).toEqual(['a', 1]);
  expect(gated(sampleSuite(), labelled('b'))).toEqual([undefined, 1]);
});

const judged = sampleCase('Judged', { expected_outcomes: { told: 'yes' } });
const definitions = (judge: string, cases: object[] = [judged], name = 'Support') =>
  sampleDefinitions([sampleSuite({ suite: { name, cases, judge: { ai_configuration: judge } } })]);

test.each([
  ['the same judge', definitions('alpha'), true],
  ['another judge', definitions('beta'), false],
  ['another judge that no case needs', definitions('beta', [sampleCase('Plain')]), true],
  ['another judge of new cases alone', definitions('beta', [{ ...judged, name: 'New' }]), true],
])('%s', (_what, head, isAlike) => {
  const base = definitions('alpha', [judged, sampleCase('Plain')]);
  expect(isMeasuredAlike(head, base)).toBe(isAlike);
});

test('a suite that the base does not have has no earlier trials', () => {
  const base = sampleDefinitions([sampleSuite({ suite: { name: 'Other' }, path: 'other.suite.yaml' })]);
  expect(isMeasuredAlike(definitions('alpha'), base)).toBe(true);
});
