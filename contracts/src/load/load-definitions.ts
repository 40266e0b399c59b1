import { configurationsOf } from '../authored/configurations.ts';
import type { DefinitionSource, LoadedSuite, LoadedWithAgents, LoadResult } from '../definitions/loaded.ts';
import type { Problem } from '../definitions/problem.ts';
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

/**
 * The definitions, and agent files that are wanted for themselves, whether a suite names them or not. Each is read as
 * that of a suite is, models included: a suite that exists for nothing else names it.
 */
export function loadWithAgents(source: DefinitionSource, agentPaths: readonly string[]): LoadedWithAgents {
  // A colon: no file of a repository has such a name on every system, and none is shadowed.
  const carriers = new Map(agentPaths.map((path, index) => [`proofmark:agent-${index}.json`, path]));
  const { definitions, problems, ...rest } = loadDefinitions({
    ...source,
    suitePaths: [...source.suitePaths, ...carriers.keys()],
    read: (path) => {
      const agentPath = carriers.get(path);
      return agentPath === undefined ? source.read(path) : carrierText(path, agentPath);
    },
  });
  return {
    ...rest,
    definitions: { ...definitions, suites: definitions.suites.filter(({ path }) => !carriers.has(path)) },
    agents: new Map(
      definitions.suites.flatMap((suite) => {
        const agentPath = carriers.get(suite.path);
        return agentPath === undefined ? [] : [[agentPath, suite] as const];
      }),
    ),
    problems: problems.flatMap((problem) => atAgentFile(problem, carriers.get(problem.file))),
  };
}

const carrierText = (name: string, agent: string): string =>
  JSON.stringify({
    name,
    agent,
    cases: [{ name: 'any', input: 'any', expected_behavior: { checks: [{ type: 'length', min: 1 }] } }],
  });

/** What a carrier is told about its agent concerns the agent's file; the rest of a carrier concerns nobody. */
function atAgentFile(problem: Problem, agentPath: string | undefined): Problem[] {
  if (agentPath === undefined) return [problem];
  if (problem.severity !== 'error' || problem.path !== 'agent') return [];
  return [{ ...problem, file: agentPath, line: 1, column: 1, path: '' }];
}
