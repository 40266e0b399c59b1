import type { LoadedSuite } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { checksOfCase, hasCheck } from '@proofmark/contracts/test-case';
import type { RunDecision } from './decide-run.ts';

export interface ProgramRules {
  /** Whether the operator lets runners start programs; absent: no. */
  areAllowed: boolean | undefined;
  /** Whether the definitions come from another repository, where no permission counts; absent: as far as is known, no. */
  isFork: boolean | undefined;
  /** Agents that a comparison names, each in a suite of its own. */
  agents: Iterable<LoadedSuite>;
}

/** The decision; refused when an agent or a check of it is a program, which runs where its repository is and on no runner. */
export function refusePrograms(
  decision: RunDecision,
  { areAllowed = false, isFork = false, agents }: ProgramRules,
): RunDecision {
  if (!decision.ok || (areAllowed && !isFork)) return decision;
  const why = areAllowed ? whyNoFork : whyNot;
  const { suites } = decision.run.definitions;
  const ofAgents = [...agents, ...suites].flatMap((suite) => agentProblems(suite, why));
  const once = new Map(ofAgents.map((problem) => [JSON.stringify(problem), problem]));
  const problems = [...once.values(), ...suites.flatMap((suite) => checkProblems(suite, why))];
  return problems.length === 0 ? decision : { ok: false, code: 'INVALID_DEFINITIONS', problems };
}

const whyNot = 'it runs where its repository is, and no coordinator starts it';
const whyNoFork = 'one that comes from a fork is never started on a runner';

const forbidden = (file: string, place: Pick<Problem, 'path' | 'message' | 'hint'>): Problem => ({
  ...{ severity: 'error', code: 'forbidden_field', file, line: 1, column: 1 },
  ...place,
});

function agentProblems({ path, agent, agentPath }: LoadedSuite, why: string): Problem[] {
  const { type } = agent.driver;
  if (type !== 'command' && type !== 'module') return [];
  const kind = type === 'command' ? 'a command' : 'code of the repository';
  return [
    forbidden(agentPath, {
      path: agentPath === path ? 'agent.driver.type' : 'driver.type',
      message: `The agent '${agent.name}' is ${kind}: ${why}`,
      hint: 'Run the suite without a coordinator, in place, or put the agent behind a URL (driver type http).',
    }),
  ];
}

const hint = 'Run the suite without a coordinator, in place, or let a service judge: the same check with `type: http`.';

function checkProblems({ path, suite, caseFiles }: LoadedSuite, why: string): Problem[] {
  const running = suite.cases.filter((testCase) => hasCheck(testCase, programs));
  const inCases = running.flatMap((testCase) =>
    checksOfCase(testCase)
      .filter(({ check }) => isProgram(check.type))
      .slice(0, 1)
      .map(({ check, path: at }) =>
        forbidden(caseFiles.get(testCase.name) ?? path, {
          path: at.join('.'),
          message: `A check of the case '${testCase.name}' is code (type: ${check.type}): ${why}`,
          hint,
        }),
      ),
  );
  const inMetrics = (suite.evaluations?.metrics ?? []).flatMap(({ metric, type, enabled }, index) =>
    enabled && isProgram(type)
      ? [
          forbidden(path, {
            path: `evaluations.metrics.${index}`,
            message: `The metric '${metric}' is code (type: ${type}): ${why}`,
            hint,
          }),
        ]
      : [],
  );
  return [...inCases, ...inMetrics];
}

const programs = ['code', 'command'] as const;
const isProgram = (type: string): boolean => programs.some((program) => program === type);
