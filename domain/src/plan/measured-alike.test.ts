import { expect, test } from 'vitest';
import { isMeasuredAlike } from './measured-alike.ts';
import { sampleCase, sampleDefinitions, sampleSuite } from './sample-definitions.fixture.ts';

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
