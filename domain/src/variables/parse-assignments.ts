import type { VariableValue } from '@proofmark/contracts/variables';
import { toDataType } from './check-value.ts';
import type { VariableError, VariableRule, VariableRules } from './variable-rules.ts';

/** One `--var NAME=VALUE` before anybody knows the data type of the variable. */
export interface Assignment {
  name: string;
  text: string;
}

export type ParsedAssignments = { ok: true; assignments: Assignment[] } | { ok: false; error: VariableError };

/** The raw pairs of `NAME=VALUE` arguments: split at the first `=`, the name trimmed, the value untouched. */
export function parseAssignments(args: readonly string[]): ParsedAssignments {
  const assignments: Assignment[] = [];
  for (const arg of args) {
    const equals = arg.indexOf('=');
    const name = arg.slice(0, Math.max(equals, 0)).trim();
    if (name === '') {
      const message = `'${arg}' is not of the form NAME=VALUE`;
      return { ok: false, error: { code: 'parse_error', variable: null, message } };
    }
    assignments.push({ name, text: arg.slice(equals + 1) });
  }
  return { ok: true, assignments };
}

export type ConvertedAssignments =
  | { ok: true; variables: Record<string, VariableValue> }
  | { ok: false; error: VariableError };

/** Typed values for one test type; the last of a repeated name wins, names the type does not have stay text. */
export function convertAssignments(
  assignments: readonly Assignment[],
  type: VariableRules | null,
): ConvertedAssignments {
  const rules = new Map(type?.variables.map((rule) => [rule.name, rule]));
  const variables = new Map<string, VariableValue>();
  for (const { name, text } of assignments) {
    const rule = rules.get(name);
    const value = rule ? convertText(rule.dataType, text) : text;
    if (value === undefined) {
      const message = `Variable '${name}' must be a ${rule?.dataType}, got '${text}'`;
      return { ok: false, error: { code: 'invalid_type', variable: name, message } };
    }
    variables.set(name, value);
  }
  return { ok: true, variables: Object.fromEntries(variables) };
}

const decimalNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const booleanWords = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** The value that a text from a command line stands for; undefined when it does not fit the data type. */
export function convertText(dataType: VariableRule['dataType'], text: string): VariableValue | undefined {
  const trimmed = text.trim();
  if (dataType === 'string') return text;
  if (dataType === 'boolean') return booleanWords.get(trimmed.toLowerCase());
  if (dataType === 'number') return decimalNumber.test(trimmed) ? toDataType('number', Number(trimmed)) : undefined;
  return toDataType('date', trimmed);
}
