import type { TestCase } from '../definitions/test-case.ts';
import type { Finding } from '../parse/finding.ts';
import { didYouMean } from '../parse/near-match.ts';
import type { SuiteReview } from './suite-review.ts';

/** What is wrong with a case in its suite. */
export function reviewCase(testCase: TestCase, review: SuiteReview): Finding[] {
  const active = testCase.status === 'active' && testCase.is_enabled;
  return [
    ...metricNameFindings(testCase, review),
    ...(active ? [...judgementFindings(testCase, review), ...modelFindings(testCase, review)] : []),
  ];
}

function metricNameFindings({ evaluations, name }: TestCase, { suite }: SuiteReview): Finding[] {
  const configured = suite.evaluations?.metrics.map(({ metric }) => metric) ?? [];
  return (evaluations ?? []).flatMap((metric, index): Finding[] => {
    if (configured.includes(metric)) return [];
    const message = `case \`${name}\` lists the metric \`${metric}\`, which \`evaluations\` of the suite does not configure${didYouMean(metric, configured)}`;
    return [{ path: ['evaluations', index], code: 'not_found', message }];
  });
}

function judgementFindings(testCase: TestCase, { suite }: SuiteReview): Finding[] {
  const selected = testCase.evaluations;
  const metrics =
    suite.evaluations?.metrics.filter(
      ({ metric, enabled }) => enabled && (selected === null || selected.includes(metric)),
    ) ?? [];
  const judged =
    metrics.length > 0 ||
    testCase.expected_behavior !== null ||
    (testCase.expected_tool_calls?.length ?? 0) > 0 ||
    Object.keys(testCase.expected_outcomes ?? {}).length > 0 ||
    testCase.evaluation_criteria_override !== null;
  if (judged) return [];
  return [
    {
      path: [],
      code: 'required',
      message: `case \`${testCase.name}\` cannot be judged: it has no checks, metrics, tool expectations or outcomes`,
      hint: 'Add `expected_behavior`, `expected_tools`, `expected_outcomes` or metrics, or set `status: draft`.',
    },
  ];
}

function modelFindings(testCase: TestCase, { suite }: SuiteReview): Finding[] {
  const findings: Finding[] = [];
  const need = (path: Finding['path'], what: string, block: string): void => {
    const hint = `Add \`${block}: { ai_configuration: … }\` to the suite.`;
    findings.push({ path, code: 'required', message: `${what} needs a model`, hint });
  };
  testCase.expected_behavior?.checks.forEach((check, index) => {
    const path = ['expected_behavior', 'checks', index];
    if (check.type === 'llm_judge' && suite.judge === null) need(path, 'an `llm_judge` check', 'judge');
    if (check.type === 'semantic_similarity' && suite.embedding === null)
      need(path, 'a `semantic_similarity` check', 'judge');
  });
  if (testCase.expected_outcomes !== null && suite.judge === null)
    need(['expected_outcomes'], 'judging outcomes', 'judge');
  if (testCase.evaluation_criteria_override !== null && suite.judge === null)
    need(['evaluation_criteria_override'], 'judging outcomes', 'judge');
  if (testCase.kind === 'simulated' && suite.simulator === null) need([], 'a simulated case', 'simulator');
  return findings;
}
