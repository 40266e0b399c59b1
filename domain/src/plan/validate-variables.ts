import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { planRun } from './plan-run.ts';
import type { PlannedSuiteRun } from './plan-suite-runs.ts';
import type { RunRequest } from './run-request.ts';

export type VariableRequest = Pick<
  RunRequest,
  'variables' | 'assignments' | 'preset' | 'matrix' | 'matrixAssignments' | 'cases' | 'tags' | 'difficulty'
>;

/**
 * What a run with these values would complain about, without starting it (S4-84): mistakes of the request, and for every
 * test the variable that keeps it from running, at the case's place in its file. No error among them: every selected test can run.
 */
export function validateVariables(definitions: LoadedDefinitions, request: VariableRequest): Problem[] {
  const once = { ...request, repetitions: 1, compared: false, variants: ['head'] as const };
  const planned = planRun({ definitions, request: once, runSeed: '' });
  if (!planned.ok) return planned.problems;
  const rows = planned.plan.suiteRuns.flatMap((suiteRun) => {
    const loaded = definitions.suites.find(({ path }) => path === suiteRun.suitePath);
    return loaded ? refusedTests(loaded, suiteRun) : [];
  });
  return [...planned.plan.warnings, ...planned.plan.disagreements, ...rows];
}

function refusedTests(loaded: LoadedSuite, { cellKey, testRuns }: PlannedSuiteRun): Problem[] {
  return testRuns.flatMap(({ caseName, sortOrder, decided }) => {
    if (decided?.status !== 'error') return [];
    const { line, column } = loaded.casePositions.get(caseName) ?? { line: 1, column: 1 };
    const message = `${caseName}${cellKey === '' ? '' : ` (${cellKey})`}: ${decided.message}`;
    return [
      {
        severity: 'error',
        code: decided.code,
        file: loaded.path,
        line,
        column,
        path: `cases.${sortOrder}.variables`,
        message,
      },
    ];
  });
}
