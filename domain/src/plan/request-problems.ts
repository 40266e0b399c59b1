import { steeringProblem, steersModel } from '@proofmark/contracts/built-in-type';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { nameHint } from '@proofmark/contracts/near-match';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import type { VariableValue } from '@proofmark/contracts/variables';
import { redactText } from '../text/redact-text.ts';
import { type CheckedValue, checkValue } from '../variables/check-value.ts';
import { checkDependencies } from '../variables/resolve-variables.ts';
import { noSuchConfiguration } from './choose-model.ts';
import type { SuitePlanInput } from './plan-suite-runs.ts';
import { type RunRequest, requestProblem } from './run-request.ts';

/** Problems that need no suite: an unknown preset, a name no selected suite knows, a name that is a value and an axis. */
export function requestProblems(request: RunRequest, suites: readonly LoadedSuite[], project: Project): Problem[] {
  const names = suites.flatMap(({ testType }) => testType.variables_schema.variables.map((rule) => rule.name));
  const variables = [...Object.keys(request.variables), ...request.assignments.map(({ name }) => name)];
  const axes = [...Object.keys(request.matrix), ...request.matrixAssignments.map(({ name }) => name)];
  const unknown = [
    ...variables.map((name) => ['variables', name] as const),
    ...axes.map((name) => ['matrix', name] as const),
  ]
    .filter(([, name]) => !names.includes(name))
    .map(([place, name]) => unknownVariable(place, name, names));
  const both = axes
    .filter((name) => variables.includes(name))
    .map((name) =>
      requestProblem(`matrix.${name}`, {
        code: 'exclusive',
        message: `'${name}' is given as one value and as a matrix axis`,
      }),
    );
  const twice = axes
    .filter((name, index) => axes.indexOf(name) !== index)
    .map((name) =>
      requestProblem(`matrix.${name}`, { code: 'duplicate', message: `The matrix axis '${name}' is given twice` }),
    );
  return [
    ...presetProblems(request, project),
    ...unknown,
    ...both,
    ...twice,
    ...credentialProblems(request),
    ...repetitionProblems(request),
  ];
}

/** Variables are stored and shown everywhere, so they must never hold a secret; the message does not repeat it. */
function credentialProblems({ variables, assignments, matrix, matrixAssignments }: RunRequest): Problem[] {
  const given: [path: string, text: VariableValue][] = [
    ...Object.entries(variables).map(([name, value]): [string, VariableValue] => [`variables.${name}`, value]),
    ...assignments.map(({ name, text }): [string, string] => [`variables.${name}`, text]),
    ...Object.entries(matrix).flatMap(([name, values]) =>
      values.map((value): [string, VariableValue] => [`matrix.${name}`, value]),
    ),
    ...matrixAssignments.flatMap(({ name, values }) =>
      values.map((text): [string, string] => [`matrix.${name}`, text]),
    ),
  ];
  return given
    .filter(([, text]) => typeof text === 'string' && redactText(text) !== text)
    .map(([path]) =>
      requestProblem(path, {
        code: 'forbidden_field',
        message: 'The value looks like a credential: variables are stored and shown',
      }),
    );
}

function presetProblems({ preset }: RunRequest, project: Project): Problem[] {
  if (preset === null || Object.hasOwn(project.presets, preset)) return [];
  const hint = nameHint(preset, Object.keys(project.presets), 'The project defines none.');
  return [requestProblem('preset', { code: 'not_found', message: `There is no preset '${preset}'`, hint })];
}

function unknownVariable(place: string, name: string, known: readonly string[]): Problem {
  const message = `No selected test has a variable '${name}'`;
  return requestProblem(`${place}.${name}`, {
    code: 'unknown_variable',
    message,
    hint: nameHint(name, known, 'No test type has any.'),
  });
}

function repetitionProblems({ repetitions }: RunRequest): Problem[] {
  if (repetitions === null || (Number.isInteger(repetitions) && repetitions >= 1 && repetitions <= 100)) return [];
  const message = `repetitions must be a whole number from 1 to 100, got ${repetitions}`;
  return [requestProblem('repetitions', { code: 'out_of_range', message })];
}

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
  const { input, loaded, selected } = plan;
  const rule = loaded.testType.variables_schema.variables.find((candidate) => candidate.name === name);
  if (rule === undefined) return [];
  const missing = unusableByModel(plan, name, value);
  const entityValues = Object.keys(input.definitions.project.ai_configurations);
  return selected
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
