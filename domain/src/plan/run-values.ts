import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { nameHint } from '@proofmark/contracts/near-match';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import type { VariableDefinition } from '@proofmark/contracts/test-type';
import type { VariableValue } from '@proofmark/contracts/variables';
import type { Cell } from '../matrix/expand-matrix.ts';
import { toDataType } from '../variables/check-value.ts';
import { convertText } from '../variables/parse-assignments.ts';
import { type RunRequest, requestProblem, suiteProblem } from './run-request.ts';

/** What the request means for one suite: only names its test type has, every text converted by that type. */
export interface SuiteRunValues {
  values: Record<string, VariableValue>;
  axes: Record<string, VariableValue[]>;
  include: Cell[];
  exclude: Cell[];
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
  const pinned = new Set([...values.keys(), ...matrix.keys()]);
  // What the request decides is no longer the suite file's to add; exclusions only ever make the matrix smaller.
  const include = suite.matrix_include.filter((cell) => !Object.keys(cell).some((name) => pinned.has(name)));
  const exclude = suite.matrix_exclude.flatMap((cell) => withoutValues(cell, values));
  const inOrder = orderOf([...rules.keys()]);
  return {
    values: Object.fromEntries(values),
    axes: inOrder(Object.fromEntries(axes)),
    include: include.map(inOrder),
    exclude,
    problems,
  };
}

/** Entries in the order of the test type: a cell is called the same, whoever names its variables in whatever order. */
const orderOf =
  (names: readonly string[]) =>
  <Value>(entries: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => placeOf(names, a) - placeOf(names, b)));

const placeOf = (names: readonly string[], name: string): number =>
  names.includes(name) ? names.indexOf(name) : names.length;

/** An exclusion as far as single values leave it open; none when they contradict it, or when they alone would be all of it. */
function withoutValues(cell: Cell, values: ReadonlyMap<string, VariableValue>): Cell[] {
  const entries = Object.entries(cell);
  if (entries.some(([name, value]) => values.has(name) && values.get(name) !== value)) return [];
  const open = entries.filter(([name]) => !values.has(name));
  return open.length > 0 ? [Object.fromEntries(open)] : [];
}

function set<Value>(map: Map<string, Value>, name: string, value: Value | undefined): void {
  if (value !== undefined) map.set(name, value);
}

const presetValues = ({ preset }: RunRequest, project: Project): Record<string, VariableValue> =>
  (preset !== null && Object.hasOwn(project.presets, preset) ? project.presets[preset] : undefined) ?? {};

const unknownAxis = (path: string, name: string, known: readonly string[]): Problem =>
  suiteProblem(path, `matrix.${name}`, {
    code: 'unknown_variable',
    message: `The test type has no variable '${name}'`,
    hint: nameHint(name, known, 'It has none.'),
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
