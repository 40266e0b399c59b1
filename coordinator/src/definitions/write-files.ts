import { posix } from 'node:path';
import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { Suite } from '@proofmark/contracts/suite';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { SentFiles } from './parse-threads.ts';
import type { StoredProject } from './stored-project.ts';

/** A definition as a person would write it in a file. */
export type Written = Record<string, unknown>;

export type SuiteSettings = Omit<Suite, 'cases'>;

/** A suite with its agent and cases, ready to be written into files. */
export interface WrittenSuite {
  /** Where the suite file stands; that of its repository when it came from there. */
  path: string;
  settings: Written;
  agent: Written;
  cases: readonly { id: string; written: Written }[];
}

export interface WrittenFiles extends SentFiles {
  files: { path: string; text: string }[];
  suitePaths: string[];
  projectPath: string;
}

/** A stored project, or one with a definition that nobody has judged yet. */
export interface ProjectToWrite extends Pick<StoredProject, 'limits'> {
  aiConfigurations: Readonly<Record<string, unknown>>;
  testTypes: readonly unknown[];
  presets: Readonly<Record<string, unknown>>;
}

const projectPath = 'proofmark.json';

/**
 * Stored definitions as files, which go the way of all files: one parser, one set of rules, one thing that a run keeps.
 * Every case is a file of its own, so that runs share the texts of cases that did not change.
 */
export function writeFiles(project: ProjectToWrite, suite: WrittenSuite | null): WrittenFiles {
  const types = project.testTypes.map((type, index) => ({ path: `types/${index + 1}.type.json`, document: type }));
  const files = [
    { path: projectPath, document: projectDocument(project, types) },
    ...types,
    ...(suite === null ? [] : suiteFiles(suite)),
  ];
  return {
    files: files.map(({ path, document }) => ({ path, text: `${JSON.stringify(document, null, 2)}\n` })),
    suitePaths: suite === null ? [] : [suite.path],
    projectPath,
  };
}

/** The file that a case is written into, from the root. */
export const casePath = (suitePath: string, caseId: string): string =>
  posix.join(posix.dirname(suitePath), caseReference(caseId));

const caseReference = (caseId: string): string => `stored-cases/${caseId}.case.json`;

function suiteFiles({ path, settings, agent, cases }: WrittenSuite): { path: string; document: Written }[] {
  const references = cases.map(({ id }) => ({ file: caseReference(id) }));
  return [
    { path, document: { ...settings, agent, cases: references } },
    ...cases.map(({ id, written }) => ({ path: casePath(path, id), document: written })),
  ];
}

const projectDocument = (
  { aiConfigurations, presets, limits }: ProjectToWrite,
  types: readonly { path: string }[],
): Written => ({
  ai_configurations: aiConfigurations,
  test_types: types.map(({ path }) => path),
  presets,
  ...(limits === null ? {} : { limits }),
});

export const writtenSuite = ({ matrix, matrix_include, matrix_exclude, ...settings }: SuiteSettings): Written => ({
  ...withoutNulls(settings),
  matrix: {
    ...matrix,
    ...(matrix_include.length > 0 ? { include: matrix_include } : {}),
    ...(matrix_exclude.length > 0 ? { exclude: matrix_exclude } : {}),
  },
});

export const writtenAgent = (agent: AgentDefinition): Written => withoutNulls(agent);

/** A case without what the parser derives. Its tools stand in one of two forms: in the one in which they were written. */
export const writtenCase = ({
  kind: _kind,
  expected_tools,
  expected_tool_calls,
  files,
  ...testCase
}: TestCase): Written =>
  withoutNulls({
    ...testCase,
    // The first of its turns.
    input: testCase.turns === undefined ? testCase.input : null,
    expected_tools,
    expected_tool_calls: expected_tools === null ? expected_tool_calls : null,
    // Even an empty list of files would make it a single-turn case.
    files: files.length === 0 ? null : files,
  });

const withoutNulls = (value: object): Written =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
