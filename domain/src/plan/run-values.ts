import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import type { VariableDefinition } from '@proofmark/contracts/test-type';
import type { VariableValue } from '@proofmark/contracts/variables';
import { toDataType } from '../variables/check-value.ts';
import { convertText } from '../variables/parse-assignments.ts';
import { didYouMean } from '../variables/suggest-name.ts';
import { type RunRequest, requestProblem, suiteProblem } from './run-request.ts';

/** What the request means for one suite: only names its test type has, every text converted by that type. */
export interface SuiteRunValues {
  values: Record<string, VariableValue>;
  axes: Record<string, VariableValue[]>;
  problems: Problem[];
}

/** Run-level values and matrix axes of one suite. A single value beats the preset; a value pins the suite file's axis. */
export function runValuesOfSuite(
  request: RunRequest,
  { suite, path, testType }: LoadedSuite,
  project: Project,
): SuiteRunValues {
  const rules = new Map(testType.variables_schema.variables.map((rule) => [rule.name, rule]));
  const problems: Problem[] = [];
  const typed = (place: string, name: string, text: string): VariableValue | undefined => {
    const rule = rules.get(name);
    const value = rule && convertText(rule.dataType, text);
    if (rule && value === undefined) problems.push(wrongType(`${place}.${name}`, rule, text));
    return value;
  };
  const preset = presetValues(request, project);
  const given = new Map<string, VariableValue>([...Object.entries(preset), ...Object.entries(request.variables)]);
  for (const { name, text } of request.assignments) set(given, name, typed('variables', name, text));
  const axes = new Map<string, VariableValue[]>();
  for (const [name, values] of Object.entries(suite.matrix)) {
    if (!rules.has(name)) problems.push(unknownAxis(path, name, [...rules.keys()]));
    else if (!given.has(name)) axes.set(name, values);
  }
  const matrix = new Map(Object.entries(request.matrix));
  for (const { name, values } of request.matrixAssignments) {
    matrix.set(
      name,
      values.map((text) => typed('matrix', name, text)).filter((value) => value !== undefined),
    );
  }
  for (const [name, values] of matrix) if (rules.has(name)) axes.set(name, values);
  // An axis that the request asks for beats the preset's value of the same name.
  const values = new Map([...given].filter(([name]) => rules.has(name) && !matrix.has(name)));
  problems.push(...typeProblems(rules, values, axes));
  return { values: Object.fromEntries(values), axes: Object.fromEntries(axes), problems };
}

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
  return [...presetProblems(request, project), ...unknown, ...both, ...twice];
}

function set<Value>(map: Map<string, Value>, name: string, value: Value | undefined): void {
  if (value !== undefined) map.set(name, value);
}

const presetValues = ({ preset }: RunRequest, project: Project): Record<string, VariableValue> =>
  (preset !== null && Object.hasOwn(project.presets, preset) ? project.presets[preset] : undefined) ?? {};

function presetProblems({ preset }: RunRequest, project: Project): Problem[] {
  if (preset === null || Object.hasOwn(project.presets, preset)) return [];
  const known = Object.keys(project.presets);
  const hint =
    didYouMean(preset, known) ??
    (known.length === 0 ? 'proofmark.yaml defines none.' : `There are: ${known.join(', ')}.`);
  return [requestProblem('preset', { code: 'not_found', message: `There is no preset '${preset}'`, hint })];
}

function unknownVariable(place: string, name: string, known: readonly string[]): Problem {
  const message = `No selected test has a variable '${name}'`;
  return requestProblem(`${place}.${name}`, { code: 'unknown_variable', message, hint: didYouMean(name, known) });
}

const unknownAxis = (path: string, name: string, known: readonly string[]): Problem =>
  suiteProblem(path, `matrix.${name}`, {
    code: 'unknown_variable',
    message: `The test type has no variable '${name}'`,
    hint: didYouMean(name, known),
  });

type Rules = ReadonlyMap<string, VariableDefinition>;

function typeProblems(
  rules: Rules,
  values: ReadonlyMap<string, VariableValue>,
  axes: ReadonlyMap<string, VariableValue[]>,
): Problem[] {
  const single = [...values].map(([name, value]) => ['variables', name, value] as const);
  const ofAxes = [...axes].flatMap(([name, entries]) => entries.map((value) => ['matrix', name, value] as const));
  return [...single, ...ofAxes].flatMap(([place, name, value]) => {
    const rule = rules.get(name);
    return rule && toDataType(rule.dataType, value) === undefined ? [wrongType(`${place}.${name}`, rule, value)] : [];
  });
}

const wrongType = (path: string, rule: VariableDefinition, value: VariableValue): Problem =>
  requestProblem(path, {
    code: 'invalid_type',
    message: `Variable '${rule.name}' must be a ${rule.dataType}, got '${value}' (${typeof value})`,
  });
