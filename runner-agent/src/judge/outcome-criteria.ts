import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { TestCase } from '@proofmark/contracts/test-case';

/** One thing that the judge of outcomes decides. */
export interface Criterion {
  id: string;
  requirement: string;
}

/**
 * One criterion per key of `expected_outcomes`, and one for a rubric that replaces ours; none when there is nothing to
 * judge. In the order of the keys, because a database keeps no other, and a case has one prompt wherever it runs.
 */
export function outcomeCriteria(
  testCase: Pick<TestCase, 'expected_outcomes' | 'evaluation_criteria_override'>,
): Criterion[] {
  const outcomes = Object.entries(testCase.expected_outcomes ?? {});
  const criteria = outcomes
    .map(([id, value]) => ({ id, requirement: `${id}: ${asText(value)}` }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const override = testCase.evaluation_criteria_override;
  if (override === null) return criteria;
  const id = criteria.some((criterion) => criterion.id === 'override') ? 'evaluation_criteria_override' : 'override';
  return [...criteria, { id, requirement: 'The evaluation criteria above are met.' }];
}

/** Text stays as the author wrote it; everything else is JSON. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : canonicalJson(value));
