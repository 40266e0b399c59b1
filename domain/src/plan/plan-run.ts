import type { FileContent } from '@proofmark/contracts/file-content';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { isError, type Problem } from '@proofmark/contracts/problem';
import { expandMatrix, type Matrix } from '../matrix/expand-matrix.ts';
import { findBaseline, whyNotExecutable } from './base-definitions.ts';
import { buildInstrument } from './build-instrument.ts';
import { type PlannedSuiteRun, planSuiteRuns, type SuitePlanInput } from './plan-suite-runs.ts';
import { refusedByAll, requestProblems } from './request-problems.ts';
import { type PlanInput, requestProblem, suiteProblem } from './run-request.ts';
import { runValuesOfSuite } from './run-values.ts';
import { isFiltered, selectCases, selectionProblems } from './select-cases.ts';

export type { PlannedSuiteRun } from './plan-suite-runs.ts';
export type { DecidedTestRun, PlannedTestRun } from './plan-test-runs.ts';
export type { PlanInput, RunRequest } from './run-request.ts';

export interface RunPlan {
  suiteRuns: PlannedSuiteRun[];
  warnings: Problem[];
  /** Settings that files give twice, with two values. For whoever looks at definitions: a run only does what counts. */
  disagreements: Problem[];
}

export type PlannedRun = { ok: true; plan: RunPlan } | { ok: false; problems: Problem[] };

/** More test runs than this are refused before anything is built. */
export const MAX_TEST_RUNS = 100_000;

/**
 * Everything a run will do, decided before anything is stored: cells × variants × rounds × cases, with the work of every
 * test run. Refused when the request cannot mean what it says; a single test that cannot run becomes a decided row.
 */
export function planRun(input: PlanInput): PlannedRun {
  const { suites, problems: passedOver } = enabledSuites(input);
  const early = [
    ...passedOver,
    ...selectionProblems(suites, input.request),
    ...requestProblems(input.request, suites, input.definitions.project),
  ];
  if (early.some(isError)) return { ok: false, problems: unique(early) };
  const drafts = suites.filter((loaded) => isWanted(loaded, input)).map((loaded) => draftSuite(input, loaded));
  const found = [...early, ...drafts.flatMap(({ problems }) => problems)];
  const plans = drafts.flatMap(({ plan }) => (plan ? [plan] : []));
  found.push(...refusedByAll(plans), ...sizeProblems(plans));
  if (found.some(isError)) return { ok: false, problems: unique(found) };
  const planned = plans.map(planSuiteRuns);
  const problems = unique([...found, ...planned.flatMap((suitePlan) => suitePlan.problems)]);
  if (problems.some(isError)) return { ok: false, problems };
  const disagreements = unique(planned.flatMap((suitePlan) => suitePlan.disagreements));
  const suiteRuns = planned.flatMap((suitePlan) => suitePlan.suiteRuns);
  return { ok: true, plan: { suiteRuns, warnings: problems, disagreements } };
}

/** Suites that may run. Whether one is enabled is the base's word, so that a pull request cannot silence its own gate. */
function enabledSuites({ definitions, baselineDefinitions }: PlanInput): {
  suites: LoadedSuite[];
  problems: Problem[];
} {
  const suites = definitions.suites.filter(
    (loaded) => (baseSuite(loaded, baselineDefinitions) ?? loaded).suite.is_enabled,
  );
  const severity = suites.length === 0 ? 'error' : 'warning';
  const problems = definitions.suites
    .filter((loaded) => !suites.includes(loaded))
    .map(({ path, suite }) =>
      suiteProblem(path, 'is_enabled', {
        severity,
        code: 'invalid_value',
        message: `The suite '${suite.name}' is disabled`,
      }),
    );
  if (definitions.suites.length === 0)
    problems.push(requestProblem('suites', { code: 'not_found', message: 'There is no suite to run' }));
  return { suites, problems };
}

const baseSuite = (loaded: LoadedSuite, definitions: LoadedDefinitions | undefined): LoadedSuite | undefined =>
  definitions && findBaseline(loaded, definitions);

/** With a filter only suites that have a matching case; without one also a suite that has nothing to run, which is never green. */
const isWanted = ({ suite }: LoadedSuite, { request }: PlanInput): boolean =>
  !isFiltered(request) || selectCases(suite.cases, request).length > 0;

function draftSuite(input: PlanInput, loaded: LoadedSuite): { plan?: SuitePlanInput; problems: Problem[] } {
  const { project } = input.definitions;
  const built = buildInstrument(loaded, project);
  const { values: runValues, axes, include, exclude, problems } = runValuesOfSuite(input.request, loaded, project);
  const matrix = expandMatrix({ axes, include, exclude });
  if (!matrix.ok) problems.push(matrixProblem(asksForMatrix(input.request) ? '' : loaded.path, matrix));
  if (!built.ok) problems.push(...built.problems);
  if (!matrix.ok || !built.ok) return { problems };
  const cells = matrix.cells.map((cell, index) => ({ cell, key: matrix.keys[index] ?? '' }));
  const { baseline, problem } = baselineOf(input, loaded);
  if (problem) problems.push(problem);
  const selected = selectCases(loaded.suite.cases, input.request);
  return { problems, plan: { input, loaded, selected, baseline, instrument: built.instrument, runValues, cells } };
}

function baselineOf(
  input: PlanInput,
  loaded: LoadedSuite,
): { baseline: SuitePlanInput['baseline']; problem?: Problem } {
  if (!input.request.variants.includes('baseline')) return { baseline: undefined };
  const found = baseSuite(loaded, input.baselineDefinitions);
  const message = found
    ? whyNotExecutable(found, loaded, input.baseCheckout)
    : `The suite '${loaded.suite.name}' does not exist at the base: nothing to compare with`;
  if (found && message === undefined && input.baselineDefinitions) {
    return { baseline: { loaded: found, project: input.baselineDefinitions.project } };
  }
  return {
    baseline: undefined,
    problem: suiteProblem(loaded.path, 'agent', { severity: 'warning', code: 'not_found', message: message ?? '' }),
  };
}

const matrixCodes = {
  empty_axis: 'too_short',
  empty_matrix: 'too_short',
  duplicate_value: 'duplicate',
  too_many_cells: 'limit',
} as const;

/** Whose matrix it is that went wrong: that of the request where it has any axis. */
const asksForMatrix = ({ matrix, matrixAssignments }: PlanInput['request']): boolean =>
  Object.keys(matrix).length > 0 || matrixAssignments.length > 0;

const matrixProblem = (path: string, { error, message }: Extract<Matrix, { ok: false }>): Problem =>
  suiteProblem(path, 'matrix', { code: matrixCodes[error], message });

/** Computed from sizes alone, before any test run is built. */
function sizeProblems(plans: readonly SuitePlanInput[]): Problem[] {
  let total = 0;
  for (const { input, loaded, selected, cells } of plans) {
    const { request } = input;
    total +=
      cells.length *
      selected.length *
      request.variants.length *
      (request.repetitions ?? loaded.suite.repetitions ?? (request.compared ? 3 : 1));
  }
  if (total <= MAX_TEST_RUNS) return [];
  return [
    requestProblem('repetitions', {
      code: 'limit',
      message: `The run would have ${total} test runs, limit ${MAX_TEST_RUNS}`,
    }),
  ];
}

const unique = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values(),
];

/** Tells the plan what is in the local files of cases; a file that is not among them is not known. */
export function fileDigestIn(contents: readonly FileContent[]): NonNullable<PlanInput['fileDigest']> {
  const byPath = new Map(contents.map(({ path, sha256 }) => [path, sha256]));
  return (_suitePath, { path }) => (path === undefined ? null : (byPath.get(path) ?? null));
}
