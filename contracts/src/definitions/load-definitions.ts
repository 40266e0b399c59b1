import { configurationsOf } from '../load/configurations.ts';
import type { KnownType, LoadContext } from '../load/load-context.ts';
import { readProject } from '../load/load-project.ts';
import { loadSuite } from '../load/load-suite.ts';
import { loadTestTypes } from '../load/load-test-types.ts';
import { reportAt } from '../load/located.ts';
import { problemList } from '../parse/problem-list.ts';
import { presetFindings } from '../review/variable-review.ts';
import type { DefinitionSource, LoadedSuite, LoadResult } from './loaded.ts';
import type { Project } from './project.ts';

export type { DefinitionSource, LoadedDefinitions, LoadedSuite, LoadResult, Position } from './loaded.ts';

/**
 * Reads the project file, every suite and every file they name, and reports all problems of all of them. A suite with
 * an error is left out; nothing is thrown for anything that stands in a file.
 */
export function loadDefinitions(source: DefinitionSource): LoadResult {
  const problems = problemList();
  const reading = readProject(source, problems);
  const configurations = configurationsOf(reading.project.ai_configurations, reading.configurationNames);
  const types = loadTestTypes({ source, problems }, reading, configurations);
  if (reading.document !== undefined) {
    reportAt(problems, { document: reading.document, base: [] }, presetFindings(reading.project, types));
  }
  const context: LoadContext = {
    source,
    problems,
    project: reading.project,
    configurations,
    ...types,
    agents: new Map(),
  };
  const suites: LoadedSuite[] = [];
  const names = new Map<string, string>();
  for (const path of source.suitePaths) {
    const loaded = loadSuite(context, path, names);
    if (loaded !== undefined) suites.push(loaded);
  }
  const project: Project = { ...reading.project, ai_configurations: configurations.all() };
  const ownTypes = [...types.testTypes.values()].filter(isOwnType).map(({ type }) => type);
  return { definitions: { project, suites }, testTypes: ownTypes, problems: problems.sorted() };
}

const isOwnType = ({ path, isWhole }: KnownType): boolean => path !== undefined && isWhole;
