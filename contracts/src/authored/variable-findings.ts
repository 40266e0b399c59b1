import { z } from 'zod';
import { didYouMean } from '../definitions/near-match.ts';
import type { VariableDefinition } from '../definitions/test-type.ts';
import { type Finding, warning } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { dependencyFindings } from './dependency-findings.ts';

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
  if (defaultValue === undefined) return findings;
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
  if (restricted?.length === 0)
    findings.push(warning([...path, 'restrictedValues'], 'too_short', `no value of \`${variable.name}\` is allowed`));
  const { defaultValue } = override;
  if (defaultValue !== undefined) {
    findings.push(
      ...valueFindings(defaultValue, { dataType: variable.dataType, allowed: restricted ?? possible }, [
        ...path,
        'defaultValue',
      ]),
    );
  }
  return [...findings, ...lockFindings(variable, override, path)];
}

/** Settings that leave a required variable without a value. */
function lockFindings(variable: VariableDefinition, override: Raw, path: Path): Finding[] {
  if (!variable.required) return [];
  if (override.exposed === false) {
    return [warning(path, 'missing_required', `the required variable \`${variable.name}\` is hidden from this test`)];
  }
  const hasValue = override.defaultValue !== undefined || variable.defaultValue !== undefined;
  if (override.locked !== true || hasValue) return [];
  const message = `\`${variable.name}\` is required and locked without a value: the test can never run`;
  return [{ path, code: 'missing_required', message, at: 'key' }];
}
