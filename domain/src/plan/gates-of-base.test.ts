import { expect, test } from 'vitest';
import { withGatesOf } from './gates-of-base.ts';
import { sampleDefinitions, sampleSuite } from './sample-definitions.ts';

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
