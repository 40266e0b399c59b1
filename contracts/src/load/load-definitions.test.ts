import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  brief,
  type Files,
  loadFiles,
  okCase,
  problemsOf,
  projectOfTwo,
  scriptedAgent,
  suiteOf,
} from './sample-files.fixture.ts';

const errorsOf = (text: string, others: Files = {}): string[] =>
  brief(problemsOf(text, others).filter(({ severity }) => severity === 'error'));

describe('the agent of a suite', () => {
  test('is found beside the suite, also above it, but not outside the repository', () => {
    const agent = 'name: a\ninstructions: x\nai_configuration: gpt-4o\n';
    const files = { 'proofmark.yaml': projectOfTwo, 'agents/a.agent.yaml': agent };
    const suite = (path: string): string => `name: S\nagent: ${path}\ncases:\n${okCase}\n`;
    const { definitions } = loadFiles({ ...files, 'evals/s.suite.yaml': suite('../agents/a.agent.yaml') });
    expect(definitions.suites[0]?.agentPath).toBe('agents/a.agent.yaml');
    expect(errorsOf(suite('../../agents/a.agent.yaml'), files)).toEqual(['2 invalid_format agent']);
    expect(errorsOf(suite('/agents/a.agent.yaml'), files)).toEqual(['2 invalid_format agent']);
    expect(errorsOf(suite('a.agent.yaml'), files)).toEqual(['2 not_found agent']);
  });

  test('uses the only AI configuration of the project, and must choose among several', () => {
    const suite = `name: S\nagent: { name: a, instructions: x }\ncases:\n${okCase}\n`;
    const one = 'ai_configurations: { only: { provider: openai, model: m } }\n';
    const { definitions } = loadFiles({ 'proofmark.yaml': one, 's.suite.yaml': suite });
    expect(definitions.suites[0]?.agent.ai_configuration).toBe('only');
    expect(problemsOf(suite, { 'proofmark.yaml': projectOfTwo })).toMatchObject([
      { path: 'agent.ai_configuration', code: 'required', hint: 'Add `ai_configuration` with one of: gpt-4o, llama.' },
    ]);
    expect(problemsOf(suite)).toMatchObject([
      { code: 'required', hint: expect.stringContaining('model: { provider: openai') },
    ]);
  });

  test('two agents of one name and different models keep both models', () => {
    const suite = (name: string, model: string): string =>
      `name: ${name}\nagent: { name: bot, instructions: x, model: { provider: openai, name: ${model} } }\ncases:\n${okCase}\n`;
    const { definitions } = loadFiles({
      'a.suite.yaml': suite('A', 'm1'),
      'b.suite.yaml': suite('B', 'm2'),
      'c.suite.yaml': suite('C', 'm1'),
    });
    expect(definitions.suites.map(({ agent }) => agent.ai_configuration)).toEqual(['bot', 'bot (2)', 'bot']);
    expect(definitions.project.ai_configurations['bot (2)']?.model).toBe('m2');
  });

  test('never has its key in a file', () => {
    const suite = `name: S\nagent: { name: a, instructions: x, model: { provider: openai, name: m, api_key: sk-123 } }\ncases:\n${okCase}\n`;
    const [problem] = problemsOf(suite);
    expect(problem).toMatchObject({ path: 'agent.model.api_key', code: 'invalid_format' });
    expect(JSON.stringify(problem)).not.toContain('sk-123');
  });

  test('of a file with errors is reported once, and stops the suites that use it', () => {
    const suite = (name: string): string => `name: ${name}\nagent: a.agent.yaml\ncases:\n${okCase}\n`;
    const { definitions, problems } = loadFiles({
      'a.agent.yaml': 'nam: a\n',
      '1.suite.yaml': suite('1st'),
      '2.suite.yaml': suite('2nd'),
    });
    expect(problems.map(({ file, code, path }) => [file, code, path])).toEqual([
      ['a.agent.yaml', 'unknown_field', 'nam'],
      ['a.agent.yaml', 'required', 'name'],
      ['a.agent.yaml', 'required', 'instructions'],
      ['a.agent.yaml', 'required', 'ai_configuration'],
    ]);
    expect(definitions.suites).toEqual([]);
  });
});

describe('names', () => {
  test('two suites of one name: the second is refused and the first is named', () => {
    const { problems, definitions } = loadFiles({
      'a.suite.yaml': suiteOf(`cases:\n${okCase}`),
      'b.suite.yaml': suiteOf(`cases:\n${okCase}`),
    });
    expect(problems).toMatchObject([
      { file: 'b.suite.yaml', path: 'name', code: 'duplicate', message: expect.stringContaining('a.suite.yaml') },
    ]);
    expect(definitions.suites).toHaveLength(1);
  });

  test('case names that are equal after NFC are one name (D6)', () => {
    const cases = ['Caf\u00e9', 'Cafe\u0301'].map((name) => okCase.replace('Greets', name)).join('\n');
    expect(problemsOf(suiteOf(`cases:\n${cases}`))).toMatchObject([
      { line: 5, path: 'cases.1.name', code: 'duplicate', message: expect.stringContaining('line 4') },
    ]);
  });

  test.each([
    ['255 code points', '\u{1F600}'.repeat(255), []],
    ['256 code points', 'x'.repeat(256), ['4 too_long cases.0.name']],
    ['nothing visible', '\u200b \u200b', ['4 too_short cases.0.name']],
    ['two lines', 'a\\nb', ['4 invalid_format cases.0.name']],
  ])('a name of %s (D15, C01)', (_, name, expected) => {
    expect(errorsOf(suiteOf(`cases:\n${okCase.replace('Greets', `"${name}"`)}`))).toEqual(expected);
  });

  test.each(['__proto__', 'constructor', 'toString', 'prototype'])(
    '%s is no name of a variable, axis, metric, tool or configuration',
    (name) => {
      const text = suiteOf(`variables: { ${name}: 1 }
matrix: { ${name}: [1] }
mocks: [{ tool: ${name}, returns: 1 }]
evaluations: { metrics: [{ metric: ${name} }] }
cases:\n${okCase}`);
      const paths = problemsOf(text, {
        'proofmark.yaml': `ai_configurations: { ${name}: { provider: openai, model: b } }\npresets: { ${name}: {} }\n`,
      })
        .filter(({ code }) => code === 'invalid_format')
        .map(({ path }) => path);
      expect(paths).toEqual([
        `ai_configurations.${name}`,
        `presets.${name}`,
        `variables.${name}`,
        `matrix.${name}`,
        'mocks.0.tool',
        'evaluations.metrics.0.metric',
      ]);
    },
  );

  test('free-form data keeps such keys as its own and reaches no prototype', () => {
    const body = `mock_settings: { state: { __proto__: { polluted: true }, constructor: 1 } }\ncases:\n${okCase}`;
    const state = loadFiles({ 'a.suite.yaml': suiteOf(body) }).definitions.suites[0]?.suite.mock_settings.state;
    expect(Object.keys(state ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('a mistake', () => {
  test('in one file stops only that file, and all problems of all files come at once', () => {
    const { definitions, problems } = loadFiles({
      'a.suite.yaml': suiteOf(`repetitons: 2\ncases:\n${okCase}`),
      'b.suite.yaml': 'name: [\n',
      'c.suite.yaml': suiteOf(`cases:\n${okCase}`).replace('Sample', 'C'),
    });
    expect(definitions.suites.map(({ path }) => path)).toEqual(['c.suite.yaml']);
    expect(problems.map(({ file, line, code }) => [file, line, code])).toEqual([
      ['a.suite.yaml', 3, 'unknown_field'],
      ['b.suite.yaml', 2, 'parse_error'],
    ]);
  });

  test('in a misplaced assert is refused, not ignored', () => {
    const text = suiteOf('cases:\n  - { name: a, input: hi, assert: [{ type: equals }], expected_tools: [x] }');
    expect(problemsOf(text)).toMatchObject([
      { path: 'cases.0.assert', code: 'unknown_field', hint: 'Checks stand in `expected_behavior.checks`.' },
    ]);
  });

  test('in the kind of the file is said once', () => {
    expect(problemsOf('name: a\ninput: hi\nexpected_tools: [x]\n')).toMatchObject([
      { message: 'this is a test case, not a suite' },
    ]);
    expect(problemsOf('variablesSchema: {}\n')).toMatchObject([{ message: 'this is a test type, not a suite' }]);
  });

  test('in one key of the project file does not hide its other keys', () => {
    const suite = `name: S\nagent: { name: a, instructions: x, ai_configuration: gpt-4o }\ncases:\n${okCase}\n`;
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': `${projectOfTwo}limits: { concurrency: 0 }\n`,
      'a.suite.yaml': suite,
    });
    expect(brief(problems)).toEqual(['4 out_of_range limits.concurrency']);
    expect(definitions.suites).toEqual([]);
  });

  test('in a file that is missing is named where it is referenced', () => {
    const text = suiteOf(
      'cases:\n  - cases/none.yaml\n  - { name: a, input: x, expected_tools: [t], files: [{ path: docs/none.pdf, type: pdf }] }',
    );
    expect(errorsOf(text)).toEqual(['4 not_found cases.0', '5 not_found cases.1.files.0.path']);
    expect(loadFiles({ 'proofmark.yaml': 'test_types: [none.type.yaml]\n' }).problems).toMatchObject([
      { path: 'test_types.0', code: 'not_found' },
    ]);
  });
});

test('nothing that a file holds makes loading throw, and every problem has a place in its file', () => {
  const pieces = fc.constantFrom(
    'name: ',
    'cases:\n',
    '  - ',
    'input: x',
    '\n',
    '{ ',
    ' }',
    '[',
    ']',
    ', ',
    ': ',
    'agent: ',
    '&a ',
    '*a ',
    '"',
    "'",
    '!!str ',
    '{{',
    '}}',
    '- ',
    '? ',
    '| ',
    '\t',
    '5',
    'null',
    scriptedAgent,
    okCase,
    'variables: ',
    'matrix: ',
    '\u0000',
    '\ud800',
    'é',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.boolean(), (parts, json) => {
      const text = parts.join('');
      const path = json ? 'a.suite.json' : 'a.suite.yaml';
      const { problems } = loadFiles({ [path]: text });
      const lines = text.split('\n').length;
      for (const problem of problems) {
        expect(problem.line).toBeGreaterThanOrEqual(1);
        expect(problem.line).toBeLessThanOrEqual(lines);
        expect(problem.message).not.toBe('');
      }
    }),
    { numRuns: 500 },
  );
});
