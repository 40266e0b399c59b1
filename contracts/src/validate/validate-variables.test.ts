import { describe, expect, test } from 'vitest';
import { builtInType } from '../definitions/built-in-type.ts';
import { brief, problemsOf, scriptedAgent } from '../load/sample-files.fixture.ts';
import { validateVariableDocuments } from './validate.ts';

const variable = { name: 'A', displayName: 'The letter', dataType: 'string', valueSource: 'freeform', required: false };
const typeOf = (...variables: object[]) => ({ schemaVersion: '1.0', variables });

const errors = (documents: Parameters<typeof validateVariableDocuments>[0]): string[] => {
  const result = validateVariableDocuments(documents);
  return result.valid ? [] : result.errors.map(({ path, code }) => `${code} ${path}`);
};
const typeErrors = (fields: object): string[] => errors({ type: typeOf({ ...variable, ...fields }) });
const without = (key: string): string[] =>
  errors({ type: typeOf(Object.fromEntries(Object.entries(variable).filter(([name]) => name !== key))) });

describe('a variable of a test type', () => {
  test('S4-10 S4-11 S4-19 has a name of its own, a name for people, and says whether it is required', () => {
    expect(typeErrors({})).toEqual([]);
    expect(errors({ type: typeOf(variable, variable) })).toEqual(['duplicate type.variables[1].name']);
    expect(without('displayName')).toEqual(['required type.variables[0].displayName']);
    expect(without('required')).toEqual(['required type.variables[0].required']);
    expect(typeErrors({ description: 'For people' })).toEqual([]);
  });

  test('S4-13 S4-14 has one of four data types, and its values are listed, free or those of AI configurations', () => {
    for (const dataType of ['string', 'number', 'boolean', 'date']) expect(typeErrors({ dataType })).toEqual([]);
    expect(typeErrors({ dataType: 'json' })).toEqual(['invalid_enum type.variables[0].dataType']);
    for (const valueSource of ['freeform', 'entity']) expect(typeErrors({ valueSource })).toEqual([]);
    expect(typeErrors({ valueSource: 'query' })).toEqual(['invalid_enum type.variables[0].valueSource']);
  });

  test('S4-15 S4-16 lists texts, numbers or booleans of its own data type', () => {
    const listing = (dataType: string, ...values: unknown[]) =>
      typeErrors({ dataType, valueSource: 'static', possibleValues: values.map((value) => ({ value })) });
    expect(listing('string', 'a', 'b')).toEqual([]);
    expect(listing('number', 1, 2.5)).toEqual([]);
    expect(listing('boolean', true, false)).toEqual([]);
    expect(listing('number', 1, '2')).toEqual(['invalid_type type.variables[0].possibleValues[1].value']);
    expect(listing('string', ['a'])).toEqual(['invalid_type type.variables[0].possibleValues[0].value']);
    expect(typeErrors({ valueSource: 'static' })).toEqual(['required type.variables[0].possibleValues']);
  });

  test('S4-18 has a default of its data type', () => {
    expect(typeErrors({ dataType: 'boolean', defaultValue: false })).toEqual([]);
    expect(typeErrors({ dataType: 'boolean', defaultValue: 'no' })).toEqual([
      'invalid_type type.variables[0].defaultValue',
    ]);
  });
});

test('S4-20 S4-21 a schema is of version 1.0 and may have no variable at all', () => {
  expect(errors({ type: typeOf() })).toEqual([]);
  expect(errors({ type: { schemaVersion: '2.0', variables: [] } })).toEqual(['invalid_enum type.schemaVersion']);
  expect(errors({ type: { schemaVersion: '1.0' } })).toEqual(['required type.variables']);
});

test('S4-03 S4-22 S4-27 S4-28 a test and a suite name variables of the type, and give values of their data type', () => {
  const type = typeOf({ ...variable, name: 'Speed', dataType: 'number' });
  const test = (variables: object) => errors({ type, test: { variables } });
  expect(test({ Speed: { exposed: true, defaultValue: 1, locked: false, restrictedValues: [1, 2] } })).toEqual([]);
  expect(test({ Sped: {} })).toEqual(['unknown_variable test.variables.Sped']);
  expect(errors({ type, suite: { variables: { Speed: 2 } } })).toEqual([]);
  expect(errors({ type, suite: { variables: { Speed: 'fast' } } })).toEqual(['invalid_type suite.variables.Speed']);
});

test('C34 a required variable that a case hides is a warning', () => {
  const type = `name: t
variables_schema: { schemaVersion: "1.0", variables: [{ name: Day, displayName: Day, dataType: string, valueSource: freeform, required: true, defaultValue: Monday }] }
`;
  const suite = `name: S
${scriptedAgent}
test_type: t
cases: [{ name: a, input: hi, expected_behavior: { checks: [{ type: contains_phrases, phrases: [x] }] }, variables: { Day: { exposed: false } } }]
`;
  const files = { 'proofmark.yaml': 'test_types: [t.type.yaml]\n', 't.type.yaml': type };
  expect(brief(problemsOf(suite, files))).toEqual(['warning 4 missing_required cases.0.variables.Day']);
});

describe('the built-in type agent-eval', () => {
  const variables = builtInType([]).variables_schema.variables;

  test('S4-75 S4-76 S4-78 S4-79 S4-95 varies the AI configuration, the temperature and the length of answers', () => {
    const rules = variables.map(({ name, dataType, valueSource, required, defaultValue }) => [
      ...[name, dataType, valueSource, required, defaultValue],
    ]);
    expect(rules).toEqual([
      ['AIConfiguration', 'string', 'static', false, undefined],
      ['Temperature', 'number', 'freeform', false, 0.7],
      ['MaxTokens', 'number', 'freeform', false, undefined],
    ]);
    expect(errors({ type: { schemaVersion: '1.0', variables } })).toEqual([]);
  });

  test('S4-77 offers four models with labels until a project names its own', () => {
    const offered = (list = variables) => list[0]?.possibleValues?.map(({ value, label }) => `${value}: ${label}`);
    expect(offered()).toEqual([
      'claude-sonnet: Claude Sonnet 4',
      'claude-opus: Claude Opus 4',
      'gpt-4o: GPT-4o',
      'gemini-pro: Gemini Pro',
    ]);
    expect(offered(builtInType([{ value: 'mine', label: 'Mine' }]).variables_schema.variables)).toEqual(['mine: Mine']);
  });
});
