import { configurationsOf } from '../authored/configurations.ts';
import type { DefinitionSource, LoadedSuite, LoadResult } from '../definitions/loaded.ts';
import type { Project } from '../definitions/project.ts';
import { problemList } from '../parse/finding.ts';
import { reportAt } from '../parse/source-document.ts';
import type { KnownType, LoadContext } from '../review/suite-review.ts';
import { presetFindings } from '../review/variable-review.ts';
import { loadTestTypes, readProject } from './load-project.ts';
import { loadSuite } from './load-suite.ts';

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
