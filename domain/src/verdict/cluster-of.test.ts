import { expect, test } from 'vitest';
import { clusterOf } from './cluster-of.ts';

const billing = { caseName: 'Refund', tags: ['slow', 'topic:billing'], file: 'evals/billing.case.yaml' };

test('cases are grouped by file, by a tag of a prefix, or not at all', () => {
  expect(clusterOf(billing, 'none')).toBeNull();
  expect(clusterOf(billing, 'file')).toBe('evals/billing.case.yaml');
  expect(clusterOf(billing, 'tag:topic:')).toBe('topic:billing');
});

test('a case without such a tag stands alone, and of several the first in order counts', () => {
  expect(clusterOf(billing, 'tag:team:')).toBeNull();
  expect(clusterOf({ ...billing, tags: ['topic:b', 'topic:a'] }, 'tag:topic:')).toBe('topic:a');
});
