import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { AiConfiguration } from '@proofmark/contracts/ai-configuration';
import { isError, type Problem } from '@proofmark/contracts/problem';
import type { TestType } from '@proofmark/contracts/test-type';
import type { Columns } from '../database/unnest.ts';
import { problemAt, withoutPlace } from './change.ts';
import { parseFiles } from './parse-files.ts';
import { configurationColumns, type NamedPreset, presetColumns, testTypeColumns } from './store-project.ts';
import type { StoredProject } from './stored-project.ts';
import { type ProjectToWrite, type Written, writeFiles } from './write-files.ts';

export type Checked<Definition> = { ok: true; definition: Definition } | { ok: false; problems: Problem[] };

/** A kind of definition that all suites of a repository, or of the tenant, can name. */
export interface SharedKind<Definition> {
  table: 'model_configurations' | 'test_types' | 'presets';
  what: string;
  /** `admin` where a change decides which address a key is sent to. */
  scope: 'runs:write' | 'admin';
  columns: Columns<Definition>;
  /** The definition of this name as it would be written; empty when there is none. */
  written: (project: StoredProject, name: string) => Written;
  /** The definition as everything behind the parser sees it, judged as a part of the project's files. */
  check: (project: StoredProject, name: string, written: Written) => Checked<Definition>;
}

export const aiConfigurations: SharedKind<AiConfiguration & { name: string }> = {
  table: 'model_configurations',
  what: 'AI configuration',
  scope: 'admin',
  columns: configurationColumns,
  written: ({ aiConfigurations: known }, name) => ({ ...known[name] }),
  check: (_project, name, written) => {
    const place = `ai_configurations.${name}`;
    const { definitions, problems } = load({ ...nothing, aiConfigurations: { [name]: written } });
    const found = [...under(problems, place), ...nameProblems(name), ...addressProblems(written)];
    const definition = definitions.project.ai_configurations[name];
    if (found.some(isError) || definition === undefined) return { ok: false, problems: found };
    return { ok: true, definition: { ...definition, name } };
  },
};

export const presets: SharedKind<NamedPreset> = {
  table: 'presets',
  what: 'preset',
  scope: 'runs:write',
  columns: presetColumns,
  written: ({ presets: known }, name) => ({ values: known[name] ?? {} }),
  check: (project, name, written) => {
    const { definitions, problems } = load({ ...project, presets: { [name]: written.values ?? {} } });
    const found = [...under(problems, `presets.${name}`), ...nameProblems(name)];
    const values = definitions.project.presets[name];
    if (found.some(isError) || values === undefined) return { ok: false, problems: found };
    return { ok: true, definition: { name, values } };
  },
};

export const testTypes: SharedKind<TestType> = {
  table: 'test_types',
  what: 'test type',
  scope: 'runs:write',
  columns: testTypeColumns,
  written: ({ testTypes: known }, name) => {
    const { name: _name, ...rest } = known.find((type) => type.name === name) ?? { name };
    return rest;
  },
  check: (project, name, written) => {
    const { testTypes: types, problems } = load({
      ...project,
      presets: {},
      testTypes: [{ variables_schema: noVariables, ...written, name }],
    });
    const ofFile = problems.filter(({ file }) => file.startsWith('types/')).map((problem) => withoutPlace(problem, ''));
    const [definition] = types;
    if (ofFile.some(isError) || definition === undefined) return { ok: false, problems: ofFile };
    return { ok: true, definition };
  },
};

const noVariables = { schemaVersion: '1.0', variables: [] };

const nothing: ProjectToWrite = { aiConfigurations: {}, testTypes: [], presets: {}, limits: null };

const load = (project: ProjectToWrite) => parseFiles(writeFiles(project, null));

const under = (problems: readonly Problem[], place: string): Problem[] =>
  problems
    .filter(({ path }) => path === place || path.startsWith(`${place}.`))
    .map((problem) => withoutPlace(problem, place));

/** Names of things in maps are keys to the parser, which asks less of a key than of a name. */
function nameProblems(name: string): Problem[] {
  const { error } = AgentDefinition.shape.name.safeParse(name);
  return (error?.issues ?? []).map(({ message }) => problemAt('name', 'invalid_format', `The name ${message}`));
}

function addressProblems({ base_url: address }: Written): Problem[] {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null || (url.username === '' && url.password === '')) return [];
  return [problemAt('base_url', 'forbidden_field', 'The address must not contain a user name or password')];
}
