import { compileJsonSchema } from '../definitions/json-schema.ts';
import type { MockEntry } from '../definitions/mocks.ts';
import { didYouMean } from '../definitions/near-match.ts';
import { isMapped } from '../definitions/service-presets.ts';
import type { Suite } from '../definitions/suite.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';
import { parameterFindings } from './matcher-findings.ts';
import type { LoadedAgent, SuiteReview } from './suite-review.ts';
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
  if (driver?.type !== 'http' || !isMapped(driver)) return [];
  const message = '`mocks` have no effect: a service with a `mapping` or a `preset` runs its tools itself';
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

/** Tools that a model plays: who plays them, answers beside it, schemas that cannot be used, and a cassette for nobody. */
export function simulationFindings({ suite, broken }: Pick<SuiteReview, 'suite' | 'broken'>): Finding[] {
  if (broken.has('mocks') || broken.has('mock_settings')) return [];
  // Without a block of its own, the simulator is the judge.
  const isModelKnown = suite.simulator !== null || broken.has('simulator') || broken.has('judge');
  const { mode } = suite.mock_settings;
  const entries = suite.mocks.flatMap((entry, index) =>
    entryFindings(entry, index, { needsModel: mode !== 'live' && !isModelKnown }),
  );
  return [...entries, ...idleCassetteFindings(suite)];
}

function entryFindings(
  { simulate, ...entry }: MockEntry,
  index: number,
  { needsModel }: { needsModel: boolean },
): Finding[] {
  if (simulate === undefined) return [];
  const path = ['mocks', index, 'simulate'];
  const beside = (['returns', 'sequence', 'fault'] as const).filter((key) => entry[key] !== undefined);
  const compiled = simulate.schema === undefined ? undefined : compileJsonSchema(simulate.schema);
  return [
    ...beside.map((key): Finding => {
      return { path, code: 'exclusive', message: `\`simulate\` excludes \`${key}\` beside it`, at: 'key' };
    }),
    ...(needsModel ? [noModel(path)] : []),
    ...(compiled === undefined || compiled.ok
      ? []
      : [{ path: [...path, 'schema'], code: 'invalid_value' as const, message: compiled.message }]),
  ];
}

const noModel = (path: Finding['path']): Finding => ({
  path,
  code: 'required',
  message: 'a simulated tool needs a model',
  hint: 'Add `simulator: { ai_configuration: … }` to the suite.',
  at: 'key',
});

/** Settings that nothing reads would look as if answers were recorded. */
function idleCassetteFindings({ mocks, mock_settings }: Pick<Suite, 'mocks' | 'mock_settings'>): Finding[] {
  const { cassette, cassette_mode: mode } = mock_settings;
  if (mode === 'replay_only' && cassette === undefined) {
    const message = '`cassette_mode: replay_only` needs a `cassette` to replay';
    return [{ path: ['mock_settings', 'cassette_mode'], code: 'required', message, at: 'key' }];
  }
  if (cassette === undefined || mocks.some(({ simulate }) => simulate !== undefined)) return [];
  const message = '`cassette` has no effect: no mock has `simulate`';
  return [{ ...warning(['mock_settings', 'cassette'], 'invalid_value', message), at: 'key' }];
}
