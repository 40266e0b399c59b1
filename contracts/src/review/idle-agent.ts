import type { Check } from '../definitions/checks.ts';
import type { Metric } from '../definitions/metrics.ts';
import { compilePattern } from '../definitions/pattern.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';

/** Warns about a case that an agent passes which answers nothing and calls nothing: it can never go red. */
export function idleAgentFindings(testCase: TestCase, metrics: readonly Metric[]): Finding[] {
  if (!isPassedByIdleAgent(testCase, metrics)) return [];
  const message = `an agent that does nothing would pass the case \`${testCase.name}\``;
  return [warning([], 'invalid_value', message, 'Add something that the agent must do or say.')];
}

function isPassedByIdleAgent(testCase: TestCase, metrics: readonly Metric[]): boolean {
  const { expected_tool_calls: tools, expected_behavior: behavior } = testCase;
  const hasOutcomes = Object.keys(testCase.expected_outcomes ?? {}).length > 0;
  if (hasOutcomes || testCase.evaluation_criteria_override !== null) return false;
  if (metrics.some(({ threshold }) => threshold !== 0)) return false;
  if (tools?.some(({ forbidden }) => !forbidden) === true) return false;
  if (behavior === null) return true;
  return behavior.mode === 'any' ? behavior.checks.some(passesSilence) : behavior.checks.every(passesSilence);
}

/** Whether a check passes on an empty response without a tool call. */
function passesSilence(check: Check): boolean {
  if (check.type === 'regex') return matchesNothing(check.pattern);
  if (check.type === 'semantic_similarity') return check.threshold === 0;
  if (check.type === 'length' || check.type === 'tool_count') return (check.min ?? 0) === 0;
  return check.type === 'not_contains' || check.type === 'latency' || check.type === 'cost';
}

function matchesNothing(source: string): boolean {
  const compiled = compilePattern(source);
  return compiled.ok && compiled.pattern.isIn('');
}
