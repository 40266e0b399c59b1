import { type ResolvedVariables, VariableSource } from '@proofmark/contracts/variables';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowedValues, sameValue, toDataType } from './check-value.ts';
import { type ModelLevel, resolveVariables } from './resolve-variables.ts';
import type { VariableOverride, VariableRule } from './variable-rules.ts';

const rule = (name: string, more: Partial<VariableRule> = {}): VariableRule => ({
  name,
  dataType: 'string',
  valueSource: 'freeform',
  required: false,
  ...more,
});
const typeOf = (...variables: VariableRule[]) => ({ variables });

test('S4-06 run beats suite beats test default beats type default, and the source says which (S4-24, S4-33, S4-52, S4-53)', () => {
  const type = typeOf(rule('A', { defaultValue: 'type' }));
  const levels = { test: { A: { defaultValue: 'test' } }, suite: { A: 'suite' }, run: { A: 'run' } };
  const without = (...names: (keyof typeof levels)[]) => {
    const given = { ...levels, ...Object.fromEntries(names.map((name) => [name, name === 'run' ? {} : null])) };
    const result = resolveVariables({ type, ...given });
    return result.ok && [result.resolved.values.A, result.resolved.sources.A];
  };
  expect(without()).toEqual(['run', 'run']);
  expect(without('run')).toEqual(['suite', 'suite']);
  expect(without('run', 'suite')).toEqual(['test', 'test']);
  expect(without('run', 'suite', 'test')).toEqual(['type', 'type']);
});

test('without a suite only run, test and type count', () => {
  const result = resolveVariables({ type: typeOf(rule('A')), test: null, suite: null, run: {} });
  expect(result).toEqual({ ok: true, resolved: { values: {}, sources: {} }, ignored: [] });
});

test('S4-49 C38 a locked variable has the default of its test, else that of its type, and the source says so', () => {
  const type = typeOf(rule('A', { defaultValue: 'type' }));
  const locked = (override: VariableOverride) =>
    resolveVariables({ type, test: { A: { ...override, locked: true } }, suite: { A: 'suite' }, run: { A: 'run' } });
  expect(locked({ defaultValue: 'test' })).toMatchObject({
    resolved: { values: { A: 'test' }, sources: { A: 'test' } },
  });
  expect(locked({})).toMatchObject({ resolved: { values: { A: 'type' }, sources: { A: 'type' } } });
});

test('C50 null is no default: what stands behind it counts, and a required variable has none', () => {
  const resolved = (variable: Partial<VariableRule>, override: VariableOverride) =>
    resolveVariables({ type: typeOf(rule('A', variable)), test: { A: override }, suite: null, run: {} });
  expect(resolved({ defaultValue: 'type' }, { defaultValue: null, locked: true })).toMatchObject({
    resolved: { values: { A: 'type' }, sources: { A: 'type' } },
  });
  expect(resolved({ defaultValue: null, required: true }, { locked: true })).toMatchObject({
    ok: false,
    error: { code: 'missing_required', variable: 'A' },
  });
  expect(resolved({ defaultValue: null }, { defaultValue: null })).toMatchObject({ resolved: { values: {} } });
});

test('S4-23 S4-48 C34 a variable that is not exposed is absent, whatever gives it a value, and nothing of it is checked', () => {
  const type = typeOf(rule('A', { defaultValue: 'type' }), rule('B', { dataType: 'number', required: true }));
  const hidden = { A: { exposed: false, defaultValue: 'test' }, B: { exposed: false } };
  expect(resolveVariables({ type, test: hidden, suite: { A: 'suite' }, run: { B: 'no number' } })).toEqual({
    ok: true,
    resolved: { values: {}, sources: {} },
    ignored: [
      { name: 'A', level: 'suite', reason: 'not_exposed' },
      { name: 'B', level: 'run', reason: 'not_exposed' },
    ],
  });
});

test('S4-26 S4-56 C35 a test may narrow what its type lists, and free values too', () => {
  const listed = rule('A', { valueSource: 'static', possibleValues: [{ value: 'x' }, { value: 'y' }] });
  const isAccepted = (variable: VariableRule, value: string, restrictedValues?: string[]) =>
    resolveVariables({
      type: typeOf(variable),
      test: { A: restrictedValues === undefined ? {} : { restrictedValues } },
      suite: null,
      run: { A: value },
    }).ok;
  expect([isAccepted(listed, 'x'), isAccepted(listed, 'z')]).toEqual([true, false]);
  expect([isAccepted(listed, 'x', ['y']), isAccepted(listed, 'y', ['y'])]).toEqual([false, true]);
  expect([isAccepted(rule('A'), 'z', ['y']), isAccepted(rule('A'), 'y', ['y'])]).toEqual([false, true]);
});

test('S4-47 S4-93 a name that the type does not have gives no value, and a test without settings exposes all of its type', () => {
  const type = typeOf(rule('A', { defaultValue: 'type' }), rule('B', { defaultValue: 'type' }));
  expect(resolveVariables({ type, test: null, suite: null, run: { C: 'run' } })).toMatchObject({
    resolved: { values: { A: 'type', B: 'type' } },
    ignored: [{ name: 'C', level: 'run', reason: 'unknown' }],
  });
});

test('S4-57 S4-58 errors name the variable, the value and what is allowed', () => {
  const refused = (variable: VariableRule, run: Record<string, unknown>) => {
    const result = resolveVariables({ type: typeOf(variable), test: null, suite: null, run });
    return result.ok ? undefined : result.error;
  };
  const model = rule('Model', { valueSource: 'static', possibleValues: [{ value: 'alpha' }, { value: 'beta' }] });
  expect(refused(model, { Model: 'gamma' })).toEqual({
    code: 'invalid_value',
    variable: 'Model',
    message: "Variable 'Model' value 'gamma' not in allowed values: alpha, beta",
  });
  expect(refused(rule('Region', { required: true }), {})?.message).toBe("Required variable 'Region' has no value");
  expect(refused(rule('T', { dataType: 'number' }), { T: 'warm' })?.message).toBe(
    "Variable 'T' must be a number, got 'warm' (string)",
  );
  expect(refused(rule('T', { dataType: 'date' }), { T: null })?.message).toBe(
    "Variable 'T' must be a date like 2025-01-31 or 2025-01-31T08:00:00Z, got null",
  );
});

test('strict refuses a run-level name that the type does not have, and only at run level (C37)', () => {
  const type = typeOf(rule('A'));
  expect(resolveVariables({ type, test: null, suite: { B: 1 }, run: {}, strict: true })).toMatchObject({ ok: true });
  expect(resolveVariables({ type, test: null, suite: null, run: { B: 1 }, strict: true })).toMatchObject({
    error: { code: 'unknown_variable', variable: 'B' },
  });
});

test('S4-83 an entity variable takes the listed values, else the names it is given, else anything', () => {
  const resolve = (more: Partial<VariableRule>, entityValues?: string[]) => {
    const type = typeOf(rule('M', { valueSource: 'entity', ...more }));
    return resolveVariables({
      type,
      test: null,
      suite: null,
      run: { M: 'x' },
      ...(entityValues ? { entityValues } : {}),
    }).ok;
  };
  expect([resolve({}), resolve({}, ['x']), resolve({}, ['y'])]).toEqual([true, true, false]);
  expect(resolve({ possibleValues: [{ value: 'x' }] }, ['y'])).toBe(true);
});

test('S4-88 a combination that is not allowed is refused and names both variables', () => {
  const type = typeOf(
    rule('Provider', { defaultValue: 'openai' }),
    rule('Model', { dependsOn: { variable: 'Provider', allowed: { openai: ['gpt'], anthropic: ['claude'] } } }),
  );
  const resolve = (run: Record<string, string>) => resolveVariables({ type, test: null, suite: null, run });
  expect(resolve({ Model: 'gpt' }).ok).toBe(true);
  expect(resolve({ Model: 'gpt', Provider: 'other' }).ok).toBe(true);
  expect(resolve({ Provider: 'anthropic' }).ok).toBe(true);
  expect(resolve({ Model: 'gpt', Provider: 'anthropic' })).toEqual({
    ok: false,
    error: {
      code: 'invalid_value',
      variable: 'Model',
      message: "Variable 'Model' value 'gpt' does not go with 'Provider' value 'anthropic'; allowed values: claude",
    },
  });
});

test('names that every object has are ordinary names', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const type = typeOf(...names.map((name) => rule(name, { defaultValue: 'd' })));
  const result = resolveVariables({ type, test: {}, suite: {}, run: {} });
  if (!result.ok) throw new Error(result.error.message);
  expect(Object.keys(result.resolved.values)).toEqual(names);
  expect(names.map((name) => Object.hasOwn(result.resolved.sources, name))).toEqual([true, true, true]);
});

const names = fc.constantFrom('A', 'B', 'C', 'constructor', '__proto__');
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('x', 'y') },
  { weight: 4, arbitrary: fc.constantFrom(0, 1, true, false, '2025-01-13', '2025-01-13T08:00:00Z') },
  { weight: 1, arbitrary: fc.constantFrom(null, Number.NaN) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const dataType = fc.oneof(
  { weight: 3, arbitrary: fc.constant('string' as const) },
  { weight: 1, arbitrary: fc.constantFrom('number', 'boolean', 'date') },
);
const possibleRules = fc.uniqueArray(
  fc.record(
    {
      name: names,
      dataType,
      valueSource: fc.constantFrom('static', 'freeform', 'entity'),
      possibleValues: fc.array(fc.record({ value }), { maxLength: 4 }),
      defaultValue: value,
      required: fc.boolean(),
      dependsOn: fc.record({
        variable: names,
        allowed: fc.dictionary(fc.constantFrom('x', 'y', '0', 'true'), fc.array(value, { maxLength: 3 }), {
          maxKeys: 3,
        }),
      }),
    },
    { requiredKeys: ['name', 'dataType', 'valueSource', 'required'] },
  ),
  { selector: (candidate) => candidate.name, maxLength: 5 },
);
const override = fc.record(
  {
    exposed: fc.boolean(),
    locked: fc.boolean(),
    defaultValue: value,
    restrictedValues: fc.array(value, { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const given = fc.dictionary(names, value, { maxKeys: 4 });
const modelLevels = fc.tuple(given, given).map(([named, agents]): ModelLevel[] => [
  { source: 'ai_configuration', configuration: 'named', values: named },
  { source: 'agent', configuration: 'own', values: agents },
]);

type Values = Readonly<Record<string, unknown>>;
interface Levels {
  entityValues: readonly string[] | undefined;
  model: readonly ModelLevel[];
  test: Readonly<Record<string, VariableOverride>> | null;
  suite: Values | null;
  run: Values;
}

const setUp = (source: ModelLevel['source'], { model }: Levels, { name, dataType }: VariableRule): unknown =>
  dataType === 'number'
    ? model.filter((level) => level.source === source).map((level) => own(level.values, name))[0]
    : undefined;

const own = <Value>(record: Readonly<Record<string, Value>> | null, name: string): Value | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

/** Whether the value of a variable is one that the value of the other allows, where the other says anything. */
function goTogether({ name, dataType, dependsOn }: VariableRule, values: ResolvedVariables['values']): boolean {
  const [value, other] = [own(values, name), dependsOn && own(values, dependsOn.variable)];
  const allowed = dependsOn && own(dependsOn.allowed, String(other));
  return value === undefined || !allowed || allowed.some((entry) => sameValue(dataType, entry, value));
}

/** What is wrong with the way one variable was resolved; empty: its source explains its value. */
function complaints(variable: VariableRule, levels: Levels, resolved: ResolvedVariables): string[] {
  const { name, dataType } = variable;
  const override = own(levels.test, name);
  const value = own(resolved.values, name);
  const source = own(resolved.sources, name);
  if (value === undefined || source === undefined) {
    const isMissing = variable.required && override?.exposed !== false;
    return [...(isMissing ? ['required but absent'] : []), ...(value === source ? [] : ['value and source differ'])];
  }
  const allowed = allowedValues({ rule: variable, override, entityValues: levels.entityValues });
  const given = {
    run: own(levels.run, name),
    suite: own(levels.suite, name),
    test: override?.defaultValue,
    ai_configuration: setUp('ai_configuration', levels, variable),
    agent: setUp('agent', levels, variable),
    type: variable.defaultValue,
  };
  const order = VariableSource.options;
  const higher = order.slice(0, order.indexOf(source)).map((level) => given[level]);
  const rules: [string, boolean][] = [
    ['exposed', override?.exposed !== false],
    ['of its data type', toDataType(dataType, value) === value],
    ['together with what it depends on', goTogether(variable, resolved.values)],
    ['allowed', allowed?.some((entry) => sameValue(dataType, entry, value)) ?? true],
    ['what its source gave', toDataType(dataType, given[source]) === value],
    [
      'from the highest level',
      higher.slice(override?.locked === true ? 2 : 0).every((other) => (other ?? undefined) === undefined),
    ],
    ['not overridden when locked', override?.locked !== true || (source !== 'run' && source !== 'suite')],
  ];
  return rules.filter(([, holds]) => !holds).map(([text]) => `not ${text}`);
}

test('for whatever types, tests, suites and runs: no throw, only allowed values, and sources that explain every value', () => {
  const tests = fc.option(fc.dictionary(names, override, { maxKeys: 4 }));
  const entities = fc.option(fc.constantFrom(['x'], ['x', 'y'], []), { nil: undefined });
  let resolvedValues = 0;
  fc.assert(
    fc.property(
      possibleRules,
      tests,
      fc.option(given),
      given,
      entities,
      modelLevels,
      (variables, overrides, suite, run, entityValues, model) => {
        const levels = { test: overrides, suite, run, entityValues, model };
        const result = resolveVariables({
          type: { variables },
          ...{ test: overrides, suite, run, model },
          ...(entityValues && { entityValues }),
        });
        if (!result.ok) {
          expect(variables.map(({ name }) => name)).toContain(result.error.variable);
          expect(result.error.message).toContain(`'${result.error.variable}'`);
          return;
        }
        resolvedValues += Object.keys(result.resolved.values).length;
        expect(variables.flatMap((variable) => complaints(variable, levels, result.resolved))).toEqual([]);
        expect(
          Object.keys(result.resolved.values).filter((name) => !variables.some((known) => known.name === name)),
        ).toEqual([]);
      },
    ),
    { numRuns: 2000, seed: 4 },
  );
  // The property says nothing if hardly any value was ever resolved.
  expect(resolvedValues).toBeGreaterThan(200);
});
