import { z } from 'zod';
import { didYouMean } from '../definitions/near-match.ts';
import { VariableDefinition, VariablesSchema } from '../definitions/test-type.ts';
import { KeyName, Name, VisibleText } from '../definitions/texts.ts';
import type { VariableValue } from '../definitions/variables.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';

/** A name that `--var`, cell keys and `{{Name}}` can carry. */
const VariableName = KeyName.refine((name) => !/[=,{}]/.test(name) && name.trim() === name, {
  error: ({ input }) => `\`${String(input)}\` must not contain \`=\`, \`,\`, \`{\`, \`}\` or surrounding spaces`,
  params: { code: 'invalid_format' },
});

const WrittenVariable = VariableDefinition.extend({
  name: VariableName.describe('Name of the variable, unique in the type.'),
  displayName: VisibleText.describe('How people see it.'),
});

export const WrittenSchema = VariablesSchema.extend({
  variables: z.array(WrittenVariable).max(200).describe('The variables.'),
});

/** A test type as it is written. */
export const TestTypeFile = z.strictObject({
  name: Name.optional().describe('Name of the test type; that of the file unless set.'),
  description: z.string().optional().describe('For people.'),
  variables_schema: WrittenSchema.describe('The variables, in the camelCase of the document that they are stored as.'),
});

/** The variables document of seed 004 on its own; the type is then called like its file. */
export const VariablesDocument = WrittenSchema.extend({ name: Name.optional(), description: z.string().optional() });

type Raw = Record<string, unknown>;
type DataType = VariableDefinition['dataType'];

const CalendarDate = z.iso.date();
const DateTime = z.iso.datetime({ offset: true });

/** Whether a value is of this data type; nothing is converted, and dates are ISO text with a day that exists. */
function isOfType(dataType: DataType, value: unknown): boolean {
  if (dataType === 'date') return CalendarDate.safeParse(value).success || DateTime.safeParse(value).success;
  return typeof value === dataType && (typeof value !== 'number' || Number.isFinite(value));
}

/** What a value of this type must look like, for messages. */
const typeName = (dataType: DataType): string =>
  dataType === 'date' ? 'a date such as 2025-01-13 or 2025-01-13T10:00:00Z' : `a ${dataType}`;

const isDataType = (value: unknown): value is DataType =>
  value === 'string' || value === 'number' || value === 'boolean' || value === 'date';

/** The rules of one type's variables beyond the types of their keys. */
export function typeFindings(variables: readonly unknown[], base: Path): Finding[] {
  const names = variables.map((variable) => (isMapping(variable) ? variable.name : undefined));
  return [
    ...variables.flatMap((variable, index) =>
      isMapping(variable) ? definitionFindings(variable, [...base, index]) : [],
    ),
    ...names.flatMap((name, index) =>
      typeof name === 'string' && names.indexOf(name) < index ? [duplicateName(name, [...base, index, 'name'])] : [],
    ),
    ...dependencyFindings(variables, base),
  ];
}

const duplicateName = (name: string, path: Path): Finding => ({
  path,
  code: 'duplicate',
  message: `variable \`${name}\` is defined twice`,
});

function definitionFindings(raw: Raw, base: Path): Finding[] {
  const { dataType, valueSource, possibleValues, defaultValue } = raw;
  const findings: Finding[] = [];
  if (valueSource === 'static' && possibleValues === undefined) {
    findings.push({
      path: [...base, 'possibleValues'],
      code: 'required',
      message: '`possibleValues` is missing: a static variable lists its values',
      at: 'key',
    });
  }
  if (valueSource === 'static' && Array.isArray(possibleValues) && possibleValues.length === 0) {
    findings.push({
      path: [...base, 'possibleValues'],
      code: 'too_short',
      message: '`possibleValues` must have at least one entry',
    });
  }
  if (!isDataType(dataType)) return findings;
  const values: unknown[] = Array.isArray(possibleValues)
    ? possibleValues.map((entry: unknown) => (isMapping(entry) ? entry.value : undefined))
    : [];
  findings.push(...listFindings(values, dataType, (index) => [...base, 'possibleValues', index, 'value']));
  if (defaultValue === undefined || defaultValue === null) return findings;
  return [
    ...findings,
    ...valueFindings(defaultValue, { dataType, allowed: valueSource === 'static' ? values : [] }, [
      ...base,
      'defaultValue',
    ]),
  ];
}

function listFindings(values: readonly unknown[], dataType: DataType, pathOf: (index: number) => Path): Finding[] {
  return values.flatMap((value, index): Finding[] => {
    if (value === undefined || isStructure(value)) return [];
    if (!isOfType(dataType, value))
      return [{ path: pathOf(index), code: 'invalid_type', message: `must be ${typeName(dataType)}` }];
    return values.indexOf(value) < index
      ? [{ path: pathOf(index), code: 'duplicate', message: `\`${textOf(value)}\` is listed twice` }]
      : [];
  });
}

const textOf = (value: unknown): string => (isStructure(value) ? JSON.stringify(value) : String(value));

/** Lists and mappings are refused by the shape already. */
const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** What is wrong with one value of a variable; an empty `allowed` allows every value of the type. */
function valueFindings(
  value: unknown,
  rule: { dataType: DataType; allowed: readonly unknown[] },
  path: Path,
): Finding[] {
  if (isStructure(value)) return [];
  if (!isOfType(rule.dataType, value))
    return [{ path, code: 'invalid_type', message: `must be ${typeName(rule.dataType)}` }];
  if (rule.allowed.length === 0 || rule.allowed.includes(value)) return [];
  const names = rule.allowed.map(String);
  return [
    {
      path,
      code: 'invalid_value',
      message: `\`${textOf(value)}\` is not among the allowed values: ${names.join(', ')}${didYouMean(String(value), names)}`,
    },
  ];
}

/** What is wrong with what one test makes of its type's variables. */
export function overrideFindings(variables: readonly VariableDefinition[], overrides: Raw, base: Path): Finding[] {
  const known = new Map(variables.map((variable) => [variable.name, variable]));
  return Object.entries(overrides).flatMap(([name, override]) => {
    const path = [...base, name];
    const variable = known.get(name);
    if (variable === undefined) return [unknownVariable(name, known.keys(), path)];
    return isMapping(override) ? oneOverride(variable, override, path) : [];
  });
}

/** What is wrong with values that a suite, a preset or a matrix axis gives to variables of a type. */
export function suiteValueFindings(variables: readonly VariableDefinition[], values: Raw, base: Path): Finding[] {
  const known = new Map(variables.map((variable) => [variable.name, variable]));
  return Object.entries(values).flatMap(([name, value], index) => {
    const path = [...base, name];
    const variable = known.get(name);
    // A hostile file may have many: what was meant is only looked for where it will be shown.
    if (variable === undefined) return [unknownVariable(name, index < 100 ? known.keys() : [], path)];
    return valueFindings(value, { dataType: variable.dataType, allowed: possibleValuesOf(variable) }, path);
  });
}

/** The values that a variable lists; none for a freeform one, which may be anything. */
const possibleValuesOf = ({ valueSource, possibleValues = [] }: VariableDefinition): unknown[] =>
  valueSource === 'freeform' ? [] : possibleValues.map(({ value }) => value);

export const unknownVariable = (name: string, known: Iterable<string>, path: Path): Finding => ({
  path,
  code: 'unknown_variable',
  message: `the test type has no variable \`${name}\`${didYouMean(name, known)}`,
  at: 'key',
});

function oneOverride(variable: VariableDefinition, override: Raw, path: Path): Finding[] {
  const findings: Finding[] = [];
  const possible = possibleValuesOf(variable);
  const restricted: unknown[] | undefined = Array.isArray(override.restrictedValues)
    ? override.restrictedValues
    : undefined;
  for (const [index, value] of (restricted ?? []).entries()) {
    findings.push(
      ...valueFindings(value, { dataType: variable.dataType, allowed: possible }, [...path, 'restrictedValues', index]),
    );
  }
  const { defaultValue } = override;
  if (isGiven(defaultValue)) {
    findings.push(
      ...valueFindings(defaultValue, { dataType: variable.dataType, allowed: restricted ?? possible }, [
        ...path,
        'defaultValue',
      ]),
    );
  } else if (
    override.exposed !== false &&
    isGiven(variable.defaultValue) &&
    isOutside(variable.defaultValue, restricted)
  ) {
    findings.push({
      path: [...path, 'restrictedValues'],
      code: 'invalid_value',
      message: `the default \`${variable.defaultValue}\` of \`${variable.name}\` is not among them: ${restricted?.map(textOf).join(', ')}`,
      hint: 'Give the test a `defaultValue` of its own that is.',
    });
  }
  return [...findings, ...lockFindings(variable, override, path)];
}

/** Null is no value (C50). */
export const isGiven = <Value>(value: Value | null | undefined): value is Value =>
  value !== null && value !== undefined;

/** A default that the test takes over and does not allow. An empty list is refused by its shape. */
const isOutside = (value: VariableValue, restricted: readonly unknown[] = []): boolean =>
  restricted.length > 0 && !restricted.includes(value);

/** Settings that leave a required variable without a value. */
function lockFindings(variable: VariableDefinition, override: Raw, path: Path): Finding[] {
  const hasValue = isGiven(override.defaultValue) || isGiven(variable.defaultValue);
  if (!variable.required)
    return override.locked === true && override.defaultValue === null && !hasValue ? [lockedAway(variable, path)] : [];
  if (override.exposed === false) {
    return [warning(path, 'missing_required', `the required variable \`${variable.name}\` is hidden from this test`)];
  }
  return override.locked !== true || hasValue ? [] : [lockedAway(variable, path)];
}

const lockedAway = ({ name, required }: VariableDefinition, path: Path): Finding => ({
  path,
  code: 'missing_required',
  message: `\`${name}\` is ${required ? 'required and ' : ''}locked without a value: ${required ? 'the test can never run' : 'null is none'}`,
  at: 'key',
});

/** A variable of a type, as far as it can be read, and where it stands. */
interface Named {
  name: string;
  raw: Raw;
  path: Path;
}

/** Dependencies between the variables of one type: unknown names, circles, values that can never be. */
function dependencyFindings(variables: readonly unknown[], base: Path): Finding[] {
  const named = variables.flatMap((raw, index): Named[] =>
    isMapping(raw) && typeof raw.name === 'string'
      ? [{ name: raw.name, raw, path: [...base, index, 'dependsOn'] }]
      : [],
  );
  const parents = new Map(
    named.flatMap(({ name, raw }) =>
      isMapping(raw.dependsOn) ? [[name, String(raw.dependsOn.variable)] as const] : [],
    ),
  );
  return named.flatMap(({ name, raw, path }): Finding[] => {
    const parentName = parents.get(name);
    if (parentName === undefined) return [];
    const parent = named.find((other) => other.name === parentName);
    if (parent === undefined) {
      const names = named.map((other) => other.name);
      const message = `there is no variable \`${parentName}\`${didYouMean(parentName, names)}`;
      return [{ path: [...path, 'variable'], code: 'unknown_variable', message }];
    }
    if (leadsTo(name, parents)) {
      const message = `\`${name}\` depends on itself by way of \`${parentName}\``;
      return [{ path: [...path, 'variable'], code: 'invalid_value', message }];
    }
    return combinationFindings(raw, parent, path);
  });
}

function leadsTo(start: string, parents: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>();
  for (let name = parents.get(start); name !== undefined && !seen.has(name); name = parents.get(name)) {
    if (name === start) return true;
    seen.add(name);
  }
  return false;
}

function combinationFindings(raw: Raw, parent: Named, path: Path): Finding[] {
  const allowed = isMapping(raw.dependsOn) ? raw.dependsOn.allowed : undefined;
  if (!isMapping(allowed)) return [];
  const ownValues = listedValues(raw);
  const parentValues = listedValues(parent.raw)?.map(String);
  return Object.entries(allowed).flatMap(([key, values]) => [
    ...(parentValues === undefined || parentValues.includes(key)
      ? []
      : [unlisted(key, parent.name, parentValues, [...path, 'allowed', key])]),
    ...(Array.isArray(values) ? values : []).flatMap((value: unknown, index) =>
      ownValues === undefined || ownValues.includes(value)
        ? []
        : [unlisted(String(value), String(raw.name), ownValues.map(String), [...path, 'allowed', key, index])],
    ),
  ]);
}

/** The values that a variable lists itself; undefined when it may be anything. */
function listedValues({ valueSource, possibleValues }: Raw): unknown[] | undefined {
  if (valueSource !== 'static' || !Array.isArray(possibleValues)) return undefined;
  return possibleValues.map((entry: unknown) => (isMapping(entry) ? entry.value : undefined));
}

const unlisted = (value: string, variable: string, values: readonly string[], path: Path): Finding => ({
  path,
  code: 'invalid_value',
  message: `\`${value}\` is no value of \`${variable}\`: ${values.join(', ')}${didYouMean(value, values)}`,
});

/** Values of one level that do not go together; the first of each pair that is not given is left to the run. */
export function pairFindings(
  variables: readonly VariableDefinition[],
  values: Readonly<Record<string, VariableValue>>,
  base: Path,
): Finding[] {
  return variables.flatMap(({ name, dependsOn }): Finding[] => {
    if (dependsOn === undefined || !Object.hasOwn(values, name) || !Object.hasOwn(values, dependsOn.variable))
      return [];
    const [value, other] = [values[name], String(values[dependsOn.variable])];
    const allowed = Object.hasOwn(dependsOn.allowed, other) ? dependsOn.allowed[other] : undefined;
    if (value === undefined || allowed === undefined || allowed.includes(value)) return [];
    const message = `\`${name}\` value \`${value}\` does not go with \`${dependsOn.variable}\` value \`${other}\`; allowed: ${allowed.join(', ')}`;
    return [{ path: [...base, name], code: 'invalid_value', message }];
  });
}
