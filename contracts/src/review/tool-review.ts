import type { MockEntry } from '../definitions/mocks.ts';
import { didYouMean } from '../definitions/near-match.ts';
import type { Suite } from '../definitions/suite.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { parameterFindings } from './matcher-findings.ts';
import type { LoadedAgent } from './suite-review.ts';
import { answerFindings, fromFindings } from './template-data.ts';

/** Tool expectations of a case: names that the agent does not have, patterns that cannot be used. */
export function toolExpectationFindings(
  { expected_tools, expected_tool_calls }: TestCase,
  agent: LoadedAgent | undefined,
): Finding[] {
  return (expected_tool_calls ?? []).flatMap(({ tool, expected_params }, index) => {
    const path = expected_tools === null ? ['expected_tool_calls', index] : ['expected_tools', index];
    const at = expected_tools === null ? [...path, 'tool'] : path;
    return [...undeclared(tool, agent, at), ...parameterFindings(expected_params, [...path, 'expected_params'])];
  });
}

/** The suite's canned answers: names, matchers, and answers that exclude each other. */
export function mockFindings(mocks: readonly MockEntry[], agent: LoadedAgent | undefined): Finding[] {
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
      ...parameterFindings(when, [...path, 'when']),
      ...(both ? [twoAnswers] : []),
      ...patchFindings(set, [...path, 'set']),
      ...answerFindings(returns, [...path, 'returns']),
      ...(sequence ?? []).flatMap((step, at) => answerFindings(step.returns, [...path, 'sequence', at, 'returns'])),
    ];
  });
}

/** Canned answers for a service that runs its tools itself would never be given; saying nothing would look like a mock. */
export function idleMockFindings(
  { mocks, mock_settings }: Pick<Suite, 'mocks' | 'mock_settings'>,
  agent: LoadedAgent | undefined,
): Finding[] {
  const driver = agent?.agent.driver;
  const { mode } = mock_settings;
  if (mode !== 'mock' && (driver?.type === 'openai' || driver?.type === 'scripted')) {
    const message = `\`mode: ${mode}\` reaches no tool: only agents with the driver http or command can run their own`;
    return [{ ...warning(['mock_settings', 'mode'], 'invalid_value', message), at: 'key' }];
  }
  if (mocks.length === 0 || mode === 'live') return [];
  if (driver?.type !== 'http' || driver.mapping === undefined) return [];
  const message = '`mocks` have no effect: a service with a `mapping` runs its tools itself';
  return [{ path: ['mocks'], code: 'exclusive', message, at: 'key' }];
}

/** What adds or replaces needs something to put there. */
function patchFindings(patches: MockEntry['set'], path: Path): Finding[] {
  return patches.flatMap(({ op, path: keys, value }, index): Finding[] => {
    const here = [...path, index];
    const missing: Finding = {
      path: [...here, 'value'],
      code: 'required',
      message: `\`${op}\` needs a \`value\``,
      at: 'key',
    };
    return [
      ...(op === 'remove' || value !== undefined ? [] : [missing]),
      ...answerFindings(value, [...here, 'value']),
      ...keys.flatMap((key, at) =>
        typeof key === 'object' ? fromFindings(key.$from, [...here, 'path', at, '$from']) : [],
      ),
    ];
  });
}

function undeclared(tool: string, agent: LoadedAgent | undefined, path: Path): Finding[] {
  const names = agent?.toolNames;
  if (agent === undefined || names === undefined || names.includes(tool)) return [];
  // A team's own service may have tools that its definition does not list.
  if (names.length === 0 && (agent.agent.driver.type !== 'openai' || agent.broken.has('driver'))) return [];
  const twin = names.find((name) => name.toLowerCase() === tool.toLowerCase());
  const message =
    twin === undefined
      ? `the agent declares no tool \`${tool}\`${didYouMean(tool, names)}`
      : `\`${tool}\` and the agent's tool \`${twin}\` differ only in case`;
  return [warning(path, 'not_found', message)];
}
