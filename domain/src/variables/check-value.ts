import { suggestName } from '@proofmark/contracts/near-match';
import type { VariableValue } from '@proofmark/contracts/variables';
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

const calendarDate = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})$/;

export interface IsoDate {
  /** Calendar dates as given, date-times in UTC with milliseconds: the text that is stored. */
  text: string;
  instantMs: number;
}

/** The date that `text` names; undefined for impossible days, local times and every looser spelling that engines accept. */
export function parseIsoDate(text: string): IsoDate | undefined {
  const day = calendarDate.exec(text);
  if (day) {
    const instantMs = dayInstant(Number(day[1]), Number(day[2]), Number(day[3]));
    return instantMs === undefined ? undefined : { text, instantMs };
  }
  const match = dateTime.exec(text);
  return match ? parseDateTime(match) : undefined;
}

function parseDateTime(match: RegExpExecArray): IsoDate | undefined {
  const [, year, month, date, hour, minute, second = '0', fraction = '', zone = 'Z'] = match;
  const dayMs = dayInstant(Number(year), Number(month), Number(date));
  const offsetMs = zoneOffset(zone);
  if (dayMs === undefined || offsetMs === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3));
  const instantMs =
    dayMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds - offsetMs;
  const text = new Date(instantMs).toISOString();
  // An offset can push the year below 0000 or above 9999, where ISO text gets a sign and sorts differently.
  return text.length === 24 ? { text, instantMs } : undefined;
}

function dayInstant(year: number, month: number, date: number): number | undefined {
  const day = new Date(0);
  day.setUTCFullYear(year, month - 1, date);
  // An impossible day rolls over into the next month instead of failing.
  return day.getUTCMonth() === month - 1 && day.getUTCDate() === date ? day.getTime() : undefined;
}

function zoneOffset(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
