import type { ResolvedVariables, VariableSource, VariableValue } from '@proofmark/contracts/variables';
import { checkDependencies } from './check-dependencies.ts';
import { checkValue } from './check-value.ts';
import type { VariableError, VariableOverride, VariableRule, VariableRules } from './variable-rules.ts';

export interface ResolveInput {
  /** Null: a type without variables. */
  type: VariableRules | null;
  /** Null or a missing key: exposed as the type defines it. */
  test: Readonly<Record<string, VariableOverride>> | null;
  /** Null: the test does not run in a suite. */
  suite: Readonly<Record<string, unknown>> | null;
  run: Readonly<Record<string, unknown>>;
  /** Refuse run-level names that the type does not have, instead of reporting them as ignored. */
  strict?: boolean;
  /** The names that variables with `valueSource: entity` may take; absent: not checked. */
  entityValues?: readonly string[];
}

/** A value that was given but does not count for this test, and why. */
export interface IgnoredVariable {
  name: string;
  level: 'run' | 'suite';
  reason: 'unknown' | 'not_exposed' | 'locked';
}

export type Resolution =
  | { ok: true; resolved: ResolvedVariables; ignored: IgnoredVariable[] }
  | { ok: false; error: VariableError };

/**
 * The variables of one test: run beats suite beats test default beats type default, and the value chosen is checked.
 * Values that lose are never looked at. The first variable (in the type's order) that cannot be resolved is the error.
 */
export function resolveVariables(input: ResolveInput): Resolution {
  const rules = input.type?.variables ?? [];
  const unknown = unknownNames(input, rules);
  const refused = unknown.find(({ level }) => level === 'run');
  if (input.strict && refused) {
    return failure('unknown_variable', refused.name, `Variable '${refused.name}' does not exist in the test type`);
  }
  const values: [string, VariableValue][] = [];
  const sources: [string, VariableSource][] = [];
  for (const rule of rules) {
    const resolved = resolveRule(input, rule);
    if (resolved === undefined) continue;
    if (!resolved.ok) return resolved;
    values.push([rule.name, resolved.value]);
    sources.push([rule.name, resolved.source]);
  }
  const refusedPair = checkDependencies(rules, new Map(values));
  if (refusedPair) return { ok: false, error: refusedPair };
  const ignored = [...rules.flatMap((rule) => ignoredLevels(input, rule.name)), ...unknown];
  // Object.fromEntries makes own keys only: a variable called `__proto__` stays data.
  return { ok: true, resolved: { values: Object.fromEntries(values), sources: Object.fromEntries(sources) }, ignored };
}

type ResolvedRule = { ok: true; value: VariableValue; source: VariableSource } | { ok: false; error: VariableError };

/** The value of one variable; undefined when it is not exposed, or optional and without a value. */
function resolveRule(input: ResolveInput, rule: VariableRule): ResolvedRule | undefined {
  const override = own(input.test, rule.name);
  if (override?.exposed === false) return undefined;
  const chosen = chooseValue(input, rule, override);
  if (chosen === undefined) {
    if (!rule.required) return undefined;
    return failure('missing_required', rule.name, `Required variable '${rule.name}' has no value`);
  }
  const checked = checkValue({ rule, override, entityValues: input.entityValues }, chosen.value);
  return checked.ok ? { ok: true, value: checked.value, source: chosen.source } : checked;
}

function chooseValue(
  input: ResolveInput,
  rule: VariableRule,
  override: VariableOverride | undefined,
): { value: unknown; source: VariableSource } | undefined {
  const candidates: [VariableSource, unknown][] = [
    ['test', override?.defaultValue],
    ['type', rule.defaultValue],
  ];
  if (!override?.locked) candidates.unshift(['run', own(input.run, rule.name)], ['suite', own(input.suite, rule.name)]);
  const found = candidates.find(([, value]) => value !== undefined);
  return found && { source: found[0], value: found[1] };
}

function ignoredLevels(input: ResolveInput, name: string): IgnoredVariable[] {
  const override = own(input.test, name);
  if (override?.exposed !== false && !override?.locked) return [];
  const reason = override.exposed === false ? 'not_exposed' : 'locked';
  return givenLevels(input)
    .filter(([, given]) => own(given, name) !== undefined)
    .map(([level]) => ({ name, level, reason }));
}

function unknownNames(input: ResolveInput, rules: readonly VariableRule[]): IgnoredVariable[] {
  const known = new Set(rules.map((rule) => rule.name));
  return givenLevels(input).flatMap(([level, given]) =>
    Object.entries(given)
      .filter(([name, value]) => value !== undefined && !known.has(name))
      .map(([name]) => ({ name, level, reason: 'unknown' as const })),
  );
}

const givenLevels = ({ run, suite }: ResolveInput): ['run' | 'suite', Readonly<Record<string, unknown>>][] => [
  ['run', run],
  ['suite', suite ?? {}],
];

/** Own keys only: a variable called `constructor` must not find the one every object inherits. */
function own<Value>(record: Readonly<Record<string, Value>> | null, name: string): Value | undefined {
  return record !== null && Object.hasOwn(record, name) ? record[name] : undefined;
}

function failure(code: VariableError['code'], variable: string, message: string): { ok: false; error: VariableError } {
  return { ok: false, error: { code, variable, message } };
}
