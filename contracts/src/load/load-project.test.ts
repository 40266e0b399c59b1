import { describe, expect, test } from 'vitest';
import { brief, type Files, loadFiles, okCase, suiteOf } from './sample-files.fixture.ts';

const variable = (fields: string): string =>
  `{ displayName: X, dataType: string, valueSource: freeform, required: false, ${fields} }`;
const typeOf = (...variables: string[]): string =>
  `name: mine\nvariables_schema:\n  schemaVersion: "1.0"\n  variables:\n${variables.map((text) => `    - ${text}\n`).join('')}`;

function load(files: Files, project = 'test_types: [mine.type.yaml]\n'): string[] {
  return brief(loadFiles({ 'proofmark.yaml': project, ...files }).problems);
}

describe('a test type (S4-02, S4-10, S4-18, S4-20)', () => {
  test('that is right has no problems, in either spelling of its keys', () => {
    expect(
      load({
        'mine.type.yaml': typeOf(
          variable('name: A'),
          '{ name: B, display_name: B, data_type: date, value_source: freeform, required: true, default_value: 2025-01-31 }',
        ),
      }),
    ).toEqual([]);
  });

  test.each([
    ['a name twice', [variable('name: A'), variable('name: A')], ['6 duplicate variables_schema.variables.1.name']],
    ['a comma in the name', [variable('name: "A,B"')], ['5 invalid_format variables_schema.variables.0.name']],
    [
      'no display name',
      ['{ name: A, dataType: string, valueSource: freeform, required: true }'],
      ['5 required variables_schema.variables.0.displayName'],
    ],
    [
      'a default of the wrong type',
      [variable('name: A, defaultValue: 5')],
      ['5 invalid_type variables_schema.variables.0.defaultValue'],
    ],
    [
      'a static variable without values',
      ['{ name: A, displayName: X, dataType: string, valueSource: static, required: false }'],
      ['5 required variables_schema.variables.0.possibleValues'],
    ],
    [
      'no values',
      ['{ name: A, displayName: X, dataType: string, valueSource: static, required: false, possibleValues: [] }'],
      ['5 too_short variables_schema.variables.0.possibleValues'],
    ],
    [
      'a default outside of its values',
      [
        '{ name: A, displayName: X, dataType: number, valueSource: static, required: false, possibleValues: [{ value: 1 }, { value: 1 }], defaultValue: 2 }',
      ],
      [
        '5 duplicate variables_schema.variables.0.possibleValues.1.value',
        '5 invalid_value variables_schema.variables.0.defaultValue',
      ],
    ],
    [
      'a day that does not exist',
      ['{ name: A, displayName: X, dataType: date, valueSource: freeform, required: false, defaultValue: 2025-02-30 }'],
      ['5 invalid_type variables_schema.variables.0.defaultValue'],
    ],
  ])('with %s is refused', (_, variables, expected) => {
    expect(load({ 'mine.type.yaml': typeOf(...variables) })).toEqual(expected);
  });

  test('of another schema version is refused', () => {
    expect(load({ 'mine.type.yaml': typeOf(variable('name: A')).replace('1.0', '2.0') })).toEqual([
      '3 invalid_enum variables_schema.schemaVersion',
    ]);
  });

  test('of a name that another file has is refused', () => {
    const type = typeOf(variable('name: A'));
    expect(load({ 'a.type.yaml': type, 'b.type.yaml': type }, 'test_types: ["*.type.yaml"]\n')).toEqual([
      '1 duplicate name',
    ]);
  });

  test('whose pattern matches no file is missed in the project file', () => {
    expect(load({}, 'test_types: ["types/*.type.yaml"]\n')).toEqual(['1 not_found test_types.0']);
  });

  test('named agent-eval replaces the built-in one (S4-77)', () => {
    const { definitions } = loadFiles({
      'proofmark.yaml': 'test_types: [mine.type.yaml]\n',
      'mine.type.yaml': typeOf(variable('name: A')).replace('mine', 'agent-eval'),
      's.suite.yaml': suiteOf(`cases:\n${okCase}`),
    });
    expect(definitions.suites[0]?.testType.variables_schema.variables.map(({ name }) => name)).toEqual(['A']);
  });
});

describe('dependencies between variables (S4-88)', () => {
  const provider =
    '{ name: Provider, displayName: P, dataType: string, valueSource: static, required: false, possibleValues: [{ value: openai }, { value: meta }] }';
  const model = (dependsOn: string): string =>
    `{ name: Model, displayName: M, dataType: string, valueSource: static, required: false, possibleValues: [{ value: gpt-4o }, { value: llama }], dependsOn: ${dependsOn} }`;

  test.each([
    [
      'an unknown variable',
      '{ variable: Provder, allowed: {} }',
      '6 unknown_variable variables_schema.variables.1.dependsOn.variable',
    ],
    ['itself', '{ variable: Model, allowed: {} }', '6 invalid_value variables_schema.variables.1.dependsOn.variable'],
    [
      'an unknown value of the other',
      '{ variable: Provider, allowed: { opnai: [llama] } }',
      '6 invalid_value variables_schema.variables.1.dependsOn.allowed.opnai',
    ],
    [
      'an unknown value of its own',
      '{ variable: Provider, allowed: { meta: [lama] } }',
      '6 invalid_value variables_schema.variables.1.dependsOn.allowed.meta.0',
    ],
  ])('on %s are refused', (_, dependsOn, expected) => {
    expect(load({ 'mine.type.yaml': typeOf(provider, model(dependsOn)) })).toEqual([expected]);
  });

  test('in a circle are refused', () => {
    const on = (name: string, other: string): string =>
      variable(`name: ${name}, dependsOn: { variable: ${other}, allowed: {} }`);
    expect(load({ 'mine.type.yaml': typeOf(on('A', 'B'), on('B', 'C'), on('C', 'A')) })).toHaveLength(3);
  });

  test('are kept by the values of a suite and of its included cells', () => {
    const files = {
      'mine.type.yaml': typeOf(provider, model('{ variable: Provider, allowed: { openai: [gpt-4o], meta: [llama] } }')),
    };
    const suite = suiteOf(
      `test_type: mine\nvariables: { Provider: openai, Model: llama }\nmatrix: { Provider: [meta], include: [{ Provider: meta, Model: gpt-4o }] }\ncases:\n${okCase}`,
    );
    expect(load({ ...files, 's.suite.yaml': suite })).toEqual([
      '4 invalid_value variables.Model',
      '5 invalid_value matrix.include.0.Model',
    ]);
  });
});

test('presets name variables and values that some test type has (S4-89)', () => {
  const project =
    'test_types: [mine.type.yaml]\npresets:\n  fast: { Temperature: 0, Speed: 1, A: x, AIConfiguration: gtp-4o }\n';
  expect(load({ 'mine.type.yaml': typeOf(variable('name: A')) }, project)).toEqual([
    '3 unknown_variable presets.fast.Speed',
    '3 invalid_value presets.fast.AIConfiguration',
  ]);
});
