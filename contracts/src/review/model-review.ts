import type { Check } from '../definitions/checks.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import type { SuiteReview } from './suite-review.ts';

/** A model that a case cannot do without, and the block of the suite that would name it. */
interface Need {
  path: Path;
  what: string;
  block: 'judge' | 'simulator' | 'embedding';
}

/** Models that a case needs and its suite does not name. */
export function modelFindings(testCase: TestCase, { suite, broken }: SuiteReview): Finding[] {
  const needs = [
    ...(testCase.expected_behavior?.checks ?? []).flatMap(needOfCheck),
    ...(['expected_outcomes', 'evaluation_criteria_override'] as const)
      // An empty map asks nobody for anything.
      .filter((key) => Object.keys(testCase[key] ?? {}).length > 0)
      .map((key): Need => ({ path: [key], what: 'judging outcomes', block: 'judge' })),
    ...(testCase.kind === 'simulated' ? [{ path: [], what: 'a simulated case', block: 'simulator' } as const] : []),
  ];
  return (
    needs
      .filter(({ block }) => suite[block] === null)
      // Without a block of its own, every model is that of the judge.
      .filter(({ block }) => !broken.has(block) && !broken.has('judge'))
      .map(({ path, what, block }) => ({
        path,
        code: 'required',
        message: `${what} needs a model`,
        hint: `Add \`${suite.judge === null && block === 'embedding' ? 'judge' : block}: { ai_configuration: … }\` to the suite.`,
      }))
  );
}

function needOfCheck({ type }: Check, index: number): Need[] {
  const path = ['expected_behavior', 'checks', index];
  if (type === 'llm_judge') return [{ path, what: 'an `llm_judge` check', block: 'judge' }];
  if (type === 'semantic_similarity') return [{ path, what: 'a `semantic_similarity` check', block: 'embedding' }];
  return [];
}

/** Thresholds of checks that every answer reaches. */
export const thresholdFindings = ({ expected_behavior: behavior }: TestCase): Finding[] =>
  (behavior?.checks ?? []).flatMap((check, index) =>
    check.type === 'semantic_similarity' && check.threshold === 0
      ? [
          warning(
            ['expected_behavior', 'checks', index, 'threshold'],
            'invalid_value',
            'a threshold of 0 always passes',
          ),
        ]
      : [],
  );
