import type { AgentDefinition } from '../definitions/agent-file.ts';
import type { MockEntry } from '../definitions/mocks.ts';
import { compilePattern } from '../definitions/pattern.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { didYouMean } from '../parse/near-match.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';

/** Tool expectations of a case: names that the agent does not have, patterns that cannot be used. */
export function toolExpectationFindings(
  { expected_tools, expected_tool_calls }: TestCase,
  agent: AgentDefinition,
): Finding[] {
  return (expected_tool_calls ?? []).flatMap(({ tool, expected_params }, index) => {
    const path = expected_tools === null ? ['expected_tool_calls', index] : ['expected_tools', index];
    const at = expected_tools === null ? [...path, 'tool'] : path;
    return [...undeclared(tool, agent, at), ...matcherFindings(expected_params, [...path, 'expected_params'])];
  });
}

/** The suite's canned answers: names, matchers, and answers that exclude each other. */
export function mockFindings(mocks: readonly MockEntry[], agent: AgentDefinition): Finding[] {
  return mocks.flatMap(({ tool, when, sequence, returns, fault, set }, index) => {
    const path = ['mocks', index];
    const both = sequence !== undefined && (returns !== undefined || fault !== undefined);
    const twoAnswers: Finding = {
      path: [...path, 'sequence'],
      code: 'exclusive',
      message: '`sequence` excludes `returns` and `fault` beside it',
      at: 'key',
    };
    return [
      ...undeclared(tool, agent, [...path, 'tool']),
      ...matcherFindings(when ?? null, [...path, 'when']),
      ...(both ? [twoAnswers] : []),
      ...patchFindings(set, [...path, 'set']),
    ];
  });
}

/** What adds or replaces needs something to put there. */
function patchFindings(patches: MockEntry['set'], path: Path): Finding[] {
  return patches.flatMap(({ op, value }, index): Finding[] =>
    op === 'remove' || value !== undefined
      ? []
      : [{ path: [...path, index, 'value'], code: 'required', message: `\`${op}\` needs a \`value\``, at: 'key' }],
  );
}

function undeclared(tool: string, { tools, driver }: AgentDefinition, path: Path): Finding[] {
  const names = tools.map(({ name }) => name);
  // A team's own service may have tools that its definition does not list.
  if (names.includes(tool) || (names.length === 0 && driver.type !== 'openai')) return [];
  const twin = names.find((name) => name.toLowerCase() === tool.toLowerCase());
  const message =
    twin === undefined
      ? `the agent declares no tool \`${tool}\`${didYouMean(tool, names)}`
      : `\`${tool}\` and the agent's tool \`${twin}\` differ only in case`;
  return [warning(path, 'not_found', message)];
}

/** Matchers inside parameters: their patterns and ranges must be usable before a run depends on them. */
function matcherFindings(value: unknown, path: Path): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => matcherFindings(item, [...path, index]));
  if (!isMapping(value)) return [];
  if (Object.hasOwn(value, '$literal')) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === '$regex') return patternFindings(inner, [...path, key]);
    if (key === '$range') return rangeFindings(inner, [...path, key]);
    return matcherFindings(inner, [...path, key]);
  });
}

function patternFindings(value: unknown, path: Path): Finding[] {
  if (typeof value !== 'string') return [{ path, code: 'invalid_type', message: '`$regex` must be a string' }];
  const compiled = compilePattern(value);
  return compiled.ok ? [] : [{ path, code: 'invalid_format', message: compiled.message }];
}

function rangeFindings(value: unknown, path: Path): Finding[] {
  const isBound = (bound: unknown): boolean => bound === null || typeof bound === 'number';
  const [low, high]: unknown[] = Array.isArray(value) ? value : [];
  if (!Array.isArray(value) || value.length !== 2 || !isBound(low) || !isBound(high)) {
    return [{ path, code: 'invalid_type', message: '`$range` must be a list of two numbers, null for no bound' }];
  }
  const isReversed = typeof low === 'number' && typeof high === 'number' && low > high;
  return isReversed ? [{ path, code: 'out_of_range', message: '`$range` must name the lower bound first' }] : [];
}
