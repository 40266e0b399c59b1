import { describe, expect, test } from 'vitest';
import {
  judged,
  loadFiles,
  messages,
  okCase,
  openai,
  problemsOf,
  project,
  review,
} from '../load/sample-files.fixture.ts';

describe('placeholders', () => {
  test.each([
    ['{{Temperature}} degrees', []],
    ['{{Temprature}}', ['4 unknown_variable cases.0.input']],
    [
      '{{user.name}} {{#if a}} \u0024{{ secrets.X }} \u0024{{Temperature}}',
      [
        '4 unknown_variable cases.0.input',
        '4 unknown_variable cases.0.input',
        '4 unknown_variable cases.0.input',
        '4 unknown_variable cases.0.input',
      ],
    ],
    ['\u0024{HOME} <% a %> {% b %} {{ never closed', []],
  ])('%s', (input, expected) => {
    expect(
      review(
        judged(`  - { name: a, input: '${input}', expected_tools: [refund] }`).replace(
          'judge: { ai_configuration: llama }\n',
          '',
        ),
      ),
    ).toEqual(expected);
  });

  test('literal keeps braces as text, and free-form data is never looked at', () => {
    const text = judged(`  - { name: a, input: "{{x}}", literal: true, expected_tools: [refund] }
  - { name: b, initial_message: hi, user_context: { a: "{{x}}" }, expected_outcomes: { b: "{{y}}" } }`);
    expect(review(text)).toEqual([]);
  });

  test('a variable that the case hides cannot be inserted', () => {
    expect(
      review(
        judged(
          '  - { name: a, input: "{{MaxTokens}}", expected_tools: [refund], variables: { MaxTokens: { exposed: false } } }',
        ),
      ),
    ).toEqual(['5 unknown_variable cases.0.input']);
  });

  test('an unknown name in the prompt is reported in the file of the prompt’s agent', () => {
    const text = openai(`cases:\n${okCase}`).replace('Be kind', '"Be {{Knd}}"');
    expect(review(text)).toEqual(['2 unknown_variable agent.instructions']);
  });
});

describe('variables and matrix', () => {
  test.each([
    ['an unknown name', 'variables: { Temprature: 1 }', 'unknown_variable variables.Temprature'],
    ['a text for a number', 'variables: { Temperature: "0.5" }', 'invalid_type variables.Temperature'],
    ['an unknown axis', 'matrix: { Temprature: [0, 1] }', 'unknown_variable matrix.Temprature'],
    ['a text on a number axis', 'matrix: { Temperature: [0, "1"] }', 'invalid_type matrix.Temperature.1'],
    ['a value twice on an axis', 'matrix: { Temperature: [0, 1, 0] }', 'duplicate matrix.Temperature.2'],
    ['an empty axis', 'matrix: { Temperature: [] }', 'too_short matrix.Temperature'],
    ['an axis that is no list', 'matrix: { Temperature: 1 }', 'invalid_type matrix.Temperature'],
    [
      'an unknown name in an included cell',
      'matrix: { Temperature: [0], include: [{ Temp: 1 }] }',
      'unknown_variable matrix.include.0.Temp',
    ],
    [
      'an unknown name in an excluded cell',
      'matrix: { Temperature: [0], exclude: [{ Temp: 1 }] }',
      'unknown_variable matrix.exclude.0.Temp',
    ],
  ])('%s', (_, line, expected) => {
    expect(review(openai(`${line}\ncases:\n${okCase}`))).toEqual([`3 ${expected}`]);
  });

  test('256 cells are accepted, 272 are counted and refused without being built (D16)', () => {
    const axis = (length: number, from: number, step: number): string =>
      Array.from({ length }, (_, index) => (index + from) * step).join(', ');
    const matrix = (a: number, b: number): string =>
      openai(`matrix: { Temperature: [${axis(a, 0, 0.0001)}], MaxTokens: [${axis(b, 1, 1)}] }\ncases:\n${okCase}`);
    expect(review(matrix(16, 16))).toEqual([]);
    expect(messages(matrix(17, 16))).toBe('the matrix has 272 combinations, limit 256');
    expect(messages(matrix(10_000, 10_000))).toBe('the matrix has 100000000 combinations, limit 256');
  });

  test('include and exclude reach the suite beside its axes', () => {
    const text = openai(
      `matrix: { Temperature: [0, 1], include: [{ Temperature: 2 }], exclude: [{ Temperature: 1 }] }\ncases:\n${okCase}`,
    );
    const suite = loadFiles({ 'proofmark.yaml': project, 's.suite.yaml': text }).definitions.suites[0]?.suite;
    expect(suite).toMatchObject({
      matrix: { Temperature: [0, 1] },
      matrix_include: [{ Temperature: 2 }],
      matrix_exclude: [{ Temperature: 1 }],
    });
  });

  test('more than 100,000 test runs are refused', () => {
    const values = Array.from({ length: 250 }, (_, index) => index + 1).join(', ');
    const cases = Array.from({ length: 5 }, (_, index) => okCase.replace('Greets', `case ${index}`)).join('\n');
    expect(messages(openai(`repetitions: 100\nmatrix: { MaxTokens: [${values}] }\ncases:\n${cases}`))).toContain(
      '125000 test runs',
    );
  });

  test('what a case makes of its variables is checked against the type (S4-22, S4-26, S4-27)', () => {
    const variables =
      '{ Temprature: { exposed: true }, AIConfiguration: { restrictedValues: [gpt-4o, gpt-5], defaultValue: llama }, Temperature: { defaultValue: warm } }';
    expect(
      review(openai(`cases:\n  - { name: a, input: hi, expected_tools: [refund], variables: ${variables} }`)),
    ).toEqual([
      '4 unknown_variable cases.0.variables.Temprature',
      '4 invalid_value cases.0.variables.AIConfiguration.restrictedValues.1',
      '4 invalid_value cases.0.variables.AIConfiguration.defaultValue',
      '4 invalid_type cases.0.variables.Temperature.defaultValue',
    ]);
  });

  const typed = (variable: string, override: string) => {
    const type = `name: t\nvariables_schema: { schemaVersion: "1.0", variables: [{ name: Day, displayName: Day, dataType: string, valueSource: freeform, ${variable} }] }\n`;
    const text = openai(
      `test_type: t\ncases:\n  - { name: a, input: hi, expected_tools: [refund], variables: { Day: ${override} } }`,
    );
    return review(text, { 'proofmark.yaml': `${project}test_types: [t.type.yaml]\n`, 't.type.yaml': type });
  };

  test.each([
    [
      'an empty list',
      'required: false',
      '{ restrictedValues: [] }',
      ['5 too_short cases.0.variables.Day.restrictedValues'],
    ],
    [
      'the type’s default outside of it',
      'required: false, defaultValue: Monday',
      '{ restrictedValues: [Friday] }',
      ['5 invalid_value cases.0.variables.Day.restrictedValues'],
    ],
    [
      'the test’s default outside of it',
      'required: false',
      '{ restrictedValues: [Friday], defaultValue: Monday }',
      ['5 invalid_value cases.0.variables.Day.defaultValue'],
    ],
    [
      'a default of its own in place of the type’s',
      'required: false, defaultValue: Monday',
      '{ restrictedValues: [Friday], defaultValue: Friday }',
      [],
    ],
    [
      'a test that does not have the variable',
      'required: false, defaultValue: Monday',
      '{ exposed: false, restrictedValues: [Friday] }',
      [],
    ],
  ])('S4-26 C35 what a test may have, and its default, go together: %s', (_, variable, override, expected) => {
    expect(typed(variable, override)).toEqual(expected);
  });

  test.each([
    [
      'locked with the type’s default behind it',
      'required: true, defaultValue: Monday',
      '{ locked: true, defaultValue: null }',
      [],
    ],
    [
      'locked and required without one',
      'required: true',
      '{ locked: true, defaultValue: null }',
      ['warning 1 missing_required variables', '5 missing_required cases.0.variables.Day'],
    ],
    [
      'locked and optional without one',
      'required: false',
      '{ locked: true, defaultValue: null }',
      ['5 missing_required cases.0.variables.Day'],
    ],
    [
      'required with null of the type',
      'required: true, defaultValue: null',
      '{}',
      ['warning 1 missing_required variables'],
    ],
  ])('C50 a default that is null is none: %s', (_, variable, override, expected) => {
    expect(typed(variable, override)).toEqual(expected);
  });

  test.each([
    ['a=b', '`a=b` must not contain'],
    ['{x}', '`{x}` must not contain'],
    [' y', '` y` must not contain'],
    ['constructor', '`constructor` is a reserved word'],
  ])('D18 the name %j of a variable is refused by its name', (name, words) => {
    const type = `name: t\nvariables_schema: { schemaVersion: "1.0", variables: [{ name: ${JSON.stringify(name)}, displayName: D, dataType: string, valueSource: freeform, required: false }] }\n`;
    const files = { 'proofmark.yaml': `${project}test_types: [t.type.yaml]\n`, 't.type.yaml': type };
    const found = problemsOf(openai(`test_type: t\ncases:\n${okCase}`), files);
    expect(found.map(({ message }) => message).join('\n')).toContain(words);
  });

  test.each([
    ['variables: { Temperature: 99 }', 'variables.Temperature'],
    ['variables: { MaxTokens: -5 }', 'variables.MaxTokens'],
    ['variables: { MaxTokens: 1.5 }', 'variables.MaxTokens'],
    ['matrix: { Temperature: [0, 2.1] }', 'matrix.Temperature.1'],
    ['matrix: { Temperature: [0, 1], include: [{ Temperature: -1 }] }', 'matrix.include.0.Temperature'],
  ])('%s is refused where it stands: no model could be called with it (S4-64, S4-65)', (line, path) => {
    expect(review(openai(`${line}\ncases:\n${okCase}`))).toEqual([`3 out_of_range ${path}`]);
  });

  test('so are the values of cases, presets and the defaults of a test type', () => {
    const type =
      'name: mine\nvariables_schema:\n  schemaVersion: "1.0"\n  variables:\n    - { name: Temperature, displayName: T, dataType: number, valueSource: freeform, required: false, defaultValue: 20 }\n';
    const text = openai(
      'test_type: mine\ncases:\n  - { name: a, input: hi, expected_tools: [refund], variables: { Temperature: { defaultValue: 3, restrictedValues: [1, 4] } } }',
    );
    const files = {
      'proofmark.yaml': `${project}test_types: [m.type.yaml]\npresets: { hot: { Temperature: 99 } }\n`,
      'm.type.yaml': type,
    };
    const found = problemsOf(text, files).map(({ file, line, code, path }) => `${file}:${line} ${code} ${path}`);
    expect(found).toEqual([
      'proofmark.yaml:5 out_of_range presets.hot.Temperature',
      'm.type.yaml:5 out_of_range variables_schema.variables.0.defaultValue',
      'evals/sample.suite.yaml:5 invalid_value cases.0.variables.Temperature.defaultValue',
      'evals/sample.suite.yaml:5 out_of_range cases.0.variables.Temperature.restrictedValues.1',
    ]);
  });

  test('a type and a service of the team’s own may have a variable of that name for other things', () => {
    const type =
      'name: weather\nvariables_schema:\n  schemaVersion: "1.0"\n  variables:\n    - { name: Temperature, displayName: T, dataType: number, valueSource: freeform, required: false, defaultValue: 20 }\n';
    const text = (testType: string): string =>
      `name: S\nagent: { name: a, driver: { type: http, url: "https://example.org" } }\n${testType}variables: { Temperature: 35 }\ncases:\n${okCase}\n`;
    const files = { 'proofmark.yaml': 'test_types: [w.type.yaml]\n', 'w.type.yaml': type };
    expect(review(text('test_type: weather\n'), files)).toEqual([]);
    expect(review(text(''), files)).toEqual(['3 out_of_range variables.Temperature']);
  });

  test('a required variable without a value in the files is a warning, because a run may give it (D18)', () => {
    const type =
      'name: t\nvariables_schema: { schemaVersion: "1.0", variables: [{ name: Day, displayName: Day, dataType: string, valueSource: freeform, required: true }] }\n';
    const text = openai(`test_type: t\ncases:\n${okCase}`);
    expect(review(text, { 'proofmark.yaml': `${project}test_types: [t.type.yaml]\n`, 't.type.yaml': type })).toEqual([
      'warning 1 missing_required variables',
    ]);
  });
});
