import { steeringProblem, steersModel } from '@proofmark/contracts/built-in-type';
import type { Problem } from '@proofmark/contracts/problem';
import type { VariableValue } from '@proofmark/contracts/variables';
import { type CheckedValue, checkValue } from '../variables/check-value.ts';
import { checkDependencies } from '../variables/resolve-variables.ts';
import { noSuchConfiguration } from './choose-model.ts';
import type { SuitePlanInput } from './plan-suite-runs.ts';
import { requestProblem } from './run-request.ts';
import { selectCases } from './select-cases.ts';

/**
 * Run-level values that no selected test accepts: a mistake of the request, told before the run starts. A value that
 * some tests accept is theirs to take or refuse.
 */
export function refusedByAll(plans: readonly SuitePlanInput[]): Problem[] {
  const verdicts = new Map<string, { path: string; checked: CheckedValue[] }>();
  for (const plan of plans) {
    for (const [place, name, value] of runLevelValues(plan)) {
      const key = JSON.stringify([place, name, value]);
      const verdict = verdicts.get(key) ?? { path: `${place}.${name}`, checked: [] };
      verdicts.set(key, { ...verdict, checked: verdict.checked.concat(checks(plan, name, value)) });
    }
  }
  const refused = [...verdicts.values()].flatMap(({ path, checked }) => {
    // A value of the wrong data type was reported when the request was read.
    const first = checked.find((result) => !result.ok && result.error.code === 'invalid_value');
    if (first === undefined || first.ok || checked.some((result) => result.ok)) return [];
    const { message, hint } = first.error;
    return [requestProblem(path, { code: 'invalid_value', message, hint })];
  });
  return [...refused, ...plans.flatMap(impossibleCells)];
}

type RunLevelValue = readonly [place: 'variables' | 'matrix', name: string, value: VariableValue];

function runLevelValues({ runValues, cells }: SuitePlanInput): RunLevelValue[] {
  const single = Object.entries(runValues).map(([name, value]) => ['variables', name, value] as const);
  const ofCells = cells.flatMap(({ cell }) =>
    Object.entries(cell).map(([name, value]) => ['matrix', name, value] as const),
  );
  return [...single, ...new Map(ofCells.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** What each test that would use the value says; tests that lock or hide the variable have no say. */
function checks(plan: SuitePlanInput, name: string, value: VariableValue): CheckedValue[] {
  const { input, loaded } = plan;
  const rule = loaded.testType.variables_schema.variables.find((candidate) => candidate.name === name);
  if (rule === undefined) return [];
  const missing = unusableByModel(plan, name, value);
  const entityValues = Object.keys(input.definitions.project.ai_configurations);
  return selectCases(loaded.suite.cases, input.request)
    .map(({ testCase }) =>
      testCase.variables && Object.hasOwn(testCase.variables, name) ? testCase.variables[name] : undefined,
    )
    .filter((override) => override?.exposed !== false && !override?.locked)
    .map((override) => checkValue({ rule, override, entityValues }, value))
    .map((checked) => (checked.ok && missing ? missing : checked));
}

/** A value with which no model can be called. A type may offer configurations that the project lacks, as the built-in one does. */
function unusableByModel(plan: SuitePlanInput, name: string, value: VariableValue): CheckedValue | undefined {
  const { agent, testType } = plan.loaded;
  if (!steersModel(agent.driver.type, testType.name)) return undefined;
  const known = plan.input.definitions.project.ai_configurations;
  const isMissing =
    name === 'AIConfiguration' && agent.driver.type === 'openai' && !Object.hasOwn(known, String(value));
  const message = isMissing ? noSuchConfiguration(String(value), known) : steeringProblem(name, value);
  return message === undefined ? undefined : { ok: false, error: { code: 'invalid_value', variable: name, message } };
}

/** Cells whose values do not go together, whatever a test makes of them. */
function impossibleCells({ loaded, runValues, cells }: SuitePlanInput): Problem[] {
  return cells.flatMap(({ key, cell }) => {
    const values = new Map(Object.entries({ ...runValues, ...cell }));
    const refused = checkDependencies(loaded.testType.variables_schema.variables, values);
    if (refused === undefined) return [];
    const path = `${key === '' ? 'variables' : 'matrix'}.${refused.variable}`;
    const hint = key === '' ? undefined : 'Leave the combination out with an exclude entry.';
    return [requestProblem(path, { code: 'invalid_value', message: refused.message, hint })];
  });
}
