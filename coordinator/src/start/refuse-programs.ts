import type { Problem } from '@proofmark/contracts/problem';
import type { RunDecision } from './decide-run.ts';

export interface ProgramRules {
  /** Whether the operator lets runners start programs; absent: no. */
  areAllowed: boolean | undefined;
  /** Whether the definitions come from another repository, where no permission counts; absent: as far as is known, no. */
  isFork: boolean | undefined;
}

/** The decision; refused when an agent of it is a program, which runs where its repository is and on no runner. */
export function refusePrograms(
  decision: RunDecision,
  { areAllowed = false, isFork = false }: ProgramRules,
): RunDecision {
  if (!decision.ok || (areAllowed && !isFork)) return decision;
  const programs = decision.run.definitions.suites.filter(({ agent }) => agent.driver.type === 'command');
  if (programs.length === 0) return decision;
  const problems = programs.map(
    ({ path, agent, agentPath }): Problem => ({
      ...{ severity: 'error', code: 'forbidden_field', file: agentPath, line: 1, column: 1 },
      path: agentPath === path ? 'agent.driver.type' : 'driver.type',
      message: `The agent '${agent.name}' is a command: ${areAllowed ? whyNoFork : whyNot}`,
      hint: 'Run the suite without a coordinator, in place, or put the agent behind a URL (driver type http).',
    }),
  );
  return { ok: false, code: 'INVALID_DEFINITIONS', problems };
}

const whyNot = 'it runs where its repository is, and no coordinator starts it';
const whyNoFork = 'one that comes from a fork is never started on a runner';
