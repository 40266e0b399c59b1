import { compileJsonSchema } from '../definitions/json-schema.ts';
import type { MockEntry } from '../definitions/mocks.ts';
import type { Suite } from '../definitions/suite.ts';
import { type Finding, warning } from '../parse/finding.ts';
import type { SuiteReview } from './suite-review.ts';

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
