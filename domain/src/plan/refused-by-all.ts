import type { Problem } from '@proofmark/contracts/problem';
import type { VariableValue } from '@proofmark/contracts/variables';
import { type CheckedValue, checkValue } from '../variables/check-value.ts';
import type { SuitePlanInput } from './plan-suite-runs.ts';
import { requestProblem } from './run-request.ts';
import { selectCases } from './select-cases.ts';

/**
 * Run-level values that no selected test accepts: a mistake of the request, told before the run starts. A value that
 * some tests accept is theirs to take or refuse.
 */
export function refusedByAll(plans: readonly SuitePlanInput[]): Problem[] {
  const verdicts = new Map<string, CheckedValue[]>();
  const places = new Map<string, string>();
  for (const plan of plans) {
    for (const [place, name, value] of runLevelValues(plan)) {
      const key = JSON.stringify([place, name, value]);
      places.set(key, `${place}.${name}`);
      verdicts.set(key, [...(verdicts.get(key) ?? []), ...checks(plan, name, value)]);
    }
  }
  return [...verdicts].flatMap(([key, checked]) => {
    // A value of the wrong data type was reported when the request was read.
    const refused = checked.find((result) => !result.ok && result.error.code === 'invalid_value');
    if (refused === undefined || refused.ok || checked.some((result) => result.ok)) return [];
    return [requestProblem(places.get(key) ?? '', { code: 'invalid_value', message: refused.error.message })];
  });
}

function runLevelValues({
  runValues,
  cells,
}: SuitePlanInput): (readonly ['variables' | 'matrix', string, VariableValue])[] {
  const single = Object.entries(runValues).map(([name, value]) => ['variables', name, value] as const);
  const ofCells = cells.flatMap(({ cell }) =>
    Object.entries(cell).map(([name, value]) => ['matrix', name, value] as const),
  );
  return [...single, ...new Map(ofCells.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** What each test that would use the value says; tests that lock or hide the variable have no say. */
function checks({ input, loaded }: SuitePlanInput, name: string, value: VariableValue): CheckedValue[] {
  const rule = loaded.testType.variables_schema.variables.find((candidate) => candidate.name === name);
  if (rule === undefined) return [];
  const entityValues = Object.keys(input.definitions.project.ai_configurations);
  return selectCases(loaded.suite.cases, input.request)
    .map(({ testCase }) =>
      testCase.variables && Object.hasOwn(testCase.variables, rule.name) ? testCase.variables[rule.name] : undefined,
    )
    .filter((override) => override?.exposed !== false && !override?.locked)
    .map((override) => checkValue({ rule, override, entityValues }, value));
}
