import type { ResolvedVariables, VariableSource, VariableValue } from '@proofmark/contracts/variables';
import { checkValue, sameValue } from './check-value.ts';
import type { VariableError, VariableOverride, VariableRule, VariableRules } from './variable-rules.ts';

export interface ResolveInput {
  /** Null: a type without variables. */
  type: VariableRules | null;
  /** Null or a missing key: exposed as the type defines it. */
  test: Readonly<Record<string, VariableOverride>> | null;
  /** Null: the test does not run in a suite. */
  suite: Readonly<Record<string, unknown>> | null;
  run: Readonly<Record<string, unknown>>;
  /** What the model set-ups of the test say themselves, the first to count first: before the default of the type. */
  model?: readonly ModelLevel[];
  /** Refuse run-level names that the type does not have, instead of reporting them as ignored. */
  strict?: boolean;
  /** The names that variables with `valueSource: entity` may take; absent: not checked. */
  entityValues?: readonly string[];
}

/** Values that an AI configuration gives to variables: that which `AIConfiguration` names, or the agent's own. */
export interface ModelLevel {
  source: 'ai_configuration' | 'agent';
  /** Its name. */
  configuration: string;
  values: Readonly<Record<string, unknown>>;
}

/** A value that was given but does not count for this test, and why. */
export type IgnoredVariable =
  | { name: string; level: 'run' | 'suite'; reason: 'unknown' | 'not_exposed' | 'locked' }
  | {
      name: string;
      level: ModelLevel['source'];
      /** Suite or test say something else. What a run chooses is meant to differ from what stands in files. */
      reason: 'overruled';
      configuration: string;
      value: unknown;
      by: { source: 'suite' | 'test'; value: unknown };
    };

export type Resolution =
  | { ok: true; resolved: ResolvedVariables; ignored: IgnoredVariable[] }
  | { ok: false; error: VariableError };

/**
 * The variables of one test: run beats suite beats test default beats what its model set-ups say beats type default, and
 * the value chosen is checked. Values that lose are not checked. The first variable (in the type's order) that cannot be
 * resolved is the error.
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
  const ignored = [
    ...rules.flatMap((rule) => [...ignoredLevels(input, rule.name), ...overruledLevels(input, rule)]),
    ...unknown,
  ];
  // Object.fromEntries makes own keys only: a variable called `__proto__` stays data.
  return { ok: true, resolved: { values: Object.fromEntries(values), sources: Object.fromEntries(sources) }, ignored };
}

/** The value that a test has of one variable, before it is checked; undefined when it has none. */
export function valueGiven(input: ResolveInput, name: string): unknown {
  const rule = input.type?.variables.find((one) => one.name === name);
  return rule && givenTo(input, rule)?.value;
}

type ResolvedRule = { ok: true; value: VariableValue; source: VariableSource } | { ok: false; error: VariableError };

/** The value of one variable; undefined when it is not exposed, or optional and without a value. */
function resolveRule(input: ResolveInput, rule: VariableRule): ResolvedRule | undefined {
  const override = own(input.test, rule.name);
  const chosen = givenTo(input, rule);
  if (chosen === undefined) {
    if (!rule.required || override?.exposed === false) return undefined;
    return failure('missing_required', rule.name, `Required variable '${rule.name}' has no value`);
  }
  const checked = checkValue({ rule, override, entityValues: input.entityValues }, chosen.value);
  if (checked.ok) return { ok: true, value: checked.value, source: chosen.source };
  const { configuration } = chosen;
  if (configuration === undefined) return checked;
  return { ok: false, error: { ...checked.error, hint: `The AI configuration '${configuration}' says so.` } };
}

interface GivenValue {
  value: unknown;
  source: VariableSource;
  /** Which AI configuration says so. */
  configuration?: string;
}

function givenTo(input: ResolveInput, rule: VariableRule): GivenValue | undefined {
  const override = own(input.test, rule.name);
  if (override?.exposed === false) return undefined;
  const candidates: GivenValue[] = [
    // Null is no default (C50).
    { source: 'test', value: override?.defaultValue ?? undefined },
    ...modelValues(input, rule),
    { source: 'type', value: rule.defaultValue ?? undefined },
  ];
  if (!override?.locked) {
    const { run, suite } = input;
    candidates.unshift(
      { source: 'run', value: own(run, rule.name) },
      { source: 'suite', value: own(suite, rule.name) },
    );
  }
  return candidates.find(({ value }) => value !== undefined);
}

/** Only numbers are set in a model set-up: a type that has texts of that name means something else. */
const modelValues = ({ model = [] }: ResolveInput, { name, dataType }: VariableRule) =>
  dataType === 'number'
    ? model.map(({ source, configuration, values }) => ({ source, configuration, value: own(values, name) }))
    : [];

/** A model set-up that says another value than the suite or the test does. One that another set-up replaces was not meant. */
function overruledLevels(input: ResolveInput, rule: VariableRule): IgnoredVariable[] {
  const by = givenTo(input, rule);
  if (by === undefined || (by.source !== 'suite' && by.source !== 'test')) return [];
  const { source, value } = by;
  const meant = modelValues(input, rule).find((level) => level.value !== undefined);
  if (meant === undefined || meant.value === value) return [];
  const { source: level, ...rest } = meant;
  return [{ name: rule.name, level, reason: 'overruled', ...rest, by: { source, value } }];
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

/** The first variable (in the type's order) whose value does not go with the value of the one it depends on. */
export function checkDependencies(
  rules: readonly VariableRule[],
  values: ReadonlyMap<string, VariableValue>,
): VariableError | undefined {
  for (const { name, dataType, dependsOn } of rules) {
    const value = values.get(name);
    const other = dependsOn && values.get(dependsOn.variable);
    if (value === undefined || other === undefined || dependsOn === undefined) continue;
    const allowed = Object.hasOwn(dependsOn.allowed, String(other)) ? dependsOn.allowed[String(other)] : undefined;
    if (allowed === undefined || allowed.some((candidate) => sameValue(dataType, candidate, value))) continue;
    const list = allowed.length === 0 ? 'none' : allowed.map(String).join(', ');
    const message = `Variable '${name}' value '${value}' does not go with '${dependsOn.variable}' value '${other}'; allowed values: ${list}`;
    return { code: 'invalid_value', variable: name, message };
  }
  return undefined;
}
