import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { LoadResult } from '@proofmark/contracts/load-definitions';
import type { Problem } from '@proofmark/contracts/problem';

/** Suites that exist only to have an agent file read as suites have theirs read, models included. */
export interface AgentCarriers {
  suitePaths: string[];
  /** The text of a carrier; undefined for every other path. */
  read: (path: string) => string | undefined;
  /** The load without the carriers: their agents, and problems at the files that people wrote. */
  unpack: (loaded: LoadResult) => LoadResult & { agents: Map<string, AgentDefinition> };
}

export function asSuites(agentPaths: readonly string[]): AgentCarriers {
  // A colon: no file of a repository has such a name on every system, and none is shadowed.
  const carriers = new Map(agentPaths.map((path, index) => [`proofmark:agent-${index}.json`, path]));
  return {
    suitePaths: [...carriers.keys()],
    read: (path) => {
      const agentPath = carriers.get(path);
      return agentPath === undefined ? undefined : carrierText(path, agentPath);
    },
    unpack: ({ definitions, problems, ...rest }) => ({
      ...rest,
      definitions: { ...definitions, suites: definitions.suites.filter(({ path }) => !carriers.has(path)) },
      agents: new Map(
        definitions.suites.flatMap(({ path, agent }) => {
          const agentPath = carriers.get(path);
          return agentPath === undefined ? [] : [[agentPath, agent] as const];
        }),
      ),
      problems: problems.flatMap((problem) => atAgentFile(problem, carriers.get(problem.file))),
    }),
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
