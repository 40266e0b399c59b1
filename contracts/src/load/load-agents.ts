import type { DefinitionSource, LoadedWithAgents } from '../definitions/loaded.ts';
import type { Problem } from '../definitions/problem.ts';
import { loadDefinitions } from './load-definitions.ts';

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
