import { suggestName } from '@proofmark/contracts/near-match';
import type { VariableValue } from '@proofmark/contracts/variables';
import { parseIsoDate } from './iso-date.ts';
import type { VariableError, VariableOverride, VariableRule } from './variable-rules.ts';

export type CheckedValue = { ok: true; value: VariableValue } | { ok: false; error: VariableError };

export interface ValueCheck {
  rule: VariableRule;
  override: VariableOverride | undefined;
  /** What a variable with `valueSource: entity` may be; undefined: not known here, so not checked. */
  entityValues: readonly string[] | undefined;
}

/** The value as it is stored (dates in UTC), or why it may not be used: wrong data type first, then the allowed list. */
export function checkValue(check: ValueCheck, value: unknown): CheckedValue {
  const { rule } = check;
  const typed = toDataType(rule.dataType, value);
  if (typed === undefined) {
    const message = `Variable '${rule.name}' must be a ${dataTypeWords[rule.dataType]}, got ${describe(value)}`;
    return { ok: false, error: { code: 'invalid_type', variable: rule.name, message } };
  }
  const allowed = allowedValues(check);
  if (allowed && !allowed.some((candidate) => sameValue(rule.dataType, candidate, typed))) {
    const list = allowed.length === 0 ? 'none' : allowed.map(String).join(', ');
    const message = `Variable '${rule.name}' value '${String(typed)}' not in allowed values: ${list}`;
    const hint = typeof typed === 'string' ? suggestName(typed, allowed.map(String)) : undefined;
    const error: VariableError = { code: 'invalid_value', variable: rule.name, message };
    return { ok: false, error: hint === undefined ? error : { ...error, hint } };
  }
  return { ok: true, value: typed };
}

/** The values that this test allows, undefined for any: its own restriction counts for every value source (C35). */
export function allowedValues({ rule, override, entityValues }: ValueCheck): readonly unknown[] | undefined {
  if (override?.restrictedValues) return override.restrictedValues;
  if (rule.valueSource === 'freeform') return undefined;
  const listed = rule.possibleValues?.map((possible) => possible.value);
  return rule.valueSource === 'entity' ? (listed ?? entityValues) : listed;
}

const dataTypeWords = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'date like 2025-01-31 or 2025-01-31T08:00:00Z',
} as const;

/** The value in its stored form; undefined when it is not of this data type. Nothing is converted from another type. */
export function toDataType(dataType: VariableRule['dataType'], value: unknown): VariableValue | undefined {
  if (dataType === 'date') return typeof value === 'string' ? parseIsoDate(value)?.text : undefined;
  if (typeof value === 'number') return dataType === 'number' && Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value === dataType ? value : undefined;
  return undefined;
}

/** Equal as stored; dates are equal when they name the same instant. */
export function sameValue(dataType: VariableRule['dataType'], candidate: unknown, value: VariableValue): boolean {
  if (dataType !== 'date') return candidate === value;
  const instant = parseIsoDate(String(value))?.instantMs;
  return typeof candidate === 'string' && instant !== undefined && parseIsoDate(candidate)?.instantMs === instant;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? `'${value}' (${typeof value})` : `a value of type ${typeof value}`;
}
