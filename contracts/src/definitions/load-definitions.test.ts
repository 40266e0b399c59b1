import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brief, type Files, loadFiles, okCase, problemsOf, scriptedAgent, suiteOf } from './sample-files.ts';

const project =
  'ai_configurations:\n  gpt-4o: { provider: openai, model: gpt-4o }\n  llama: { provider: openai, model: llama-3.1 }\n';

const errorsOf = (text: string, others: Files = {}): string[] =>
  brief(problemsOf(text, others).filter(({ severity }) => severity === 'error'));

describe('documents of the five sources load unchanged', () => {
  test('a HoloDeck agent file with test cases and metrics is a suite of its own (S0-01…S0-06, S0-07, S0-115, S0-116)', () => {
    const { definitions, problems } = loadFiles({
      'agents/support.suite.yaml': `
name: Customer Support Agent
model: { provider: azure_openai, name: gpt-4o, temperature: 0.7, max_tokens: 500, api_key: "\${AZURE_KEY}", endpoint: "https://example.org/openai" }
instructions: { file: instructions/system.md }
tools:
  - { name: get_order_status, type: function, description: Looks an order up, file: tools.py, function: get }
  - { name: knowledge, type: vectorstore, source: data/kb, top_k: 3 }
evaluations:
  metrics:
    - { metric: groundedness, threshold: 0.7, scale: 1 }
    - { metric: relevance, threshold: 0.7, model: { provider: openai, name: gpt-4o-mini } }
    - { type: geval, name: direct-answer, criteria: Same facts, evaluation_params: [input, actual_output], threshold: 0.6 }
    - { type: rag, metric_type: faithfulness, threshold: 0.7, include_reason: true }
test_cases:
  - name: Business hours query
    input: "What are your business hours?"
    ground_truth: "We're open Monday-Friday 9AM-5PM EST"
  - input: "Where is my order #12345?"
    expected_tools: ["get_order_status"]
    evaluations: [groundedness]
    files: [{ path: docs/order.pdf, type: pdf, pages: [1] }]
`,
      'agents/instructions/system.md': 'You help customers.\n',
      'docs/order.pdf': 'x',
    });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [loaded] = definitions.suites;
    expect(loaded?.agent).toMatchObject({
      name: 'Customer Support Agent',
      instructions: 'You help customers.\n',
      ai_configuration: 'Customer Support Agent',
      tools: [
        { name: 'get_order_status', retrieval: false },
        { name: 'knowledge', retrieval: true },
      ],
    });
    expect(definitions.project.ai_configurations).toEqual({
      'Customer Support Agent': {
        provider: 'azure_openai',
        model: 'gpt-4o',
        temperature: 0.7,
        max_tokens: 500,
        base_url: 'https://example.org/openai',
        api_key_env: 'AZURE_KEY',
      },
      'openai/gpt-4o-mini': { provider: 'openai', model: 'gpt-4o-mini' },
    });
    expect(loaded?.suite.evaluations?.metrics.map(({ metric, model }) => [metric, model])).toEqual([
      ['groundedness', undefined],
      ['relevance', 'openai/gpt-4o-mini'],
      ['direct-answer', undefined],
      ['faithfulness', undefined],
    ]);
    expect(loaded?.suite.cases.map(({ name }) => name)).toEqual(['Business hours query', 'support#2']);
    expect(loaded?.suite.judge).toEqual({ ai_configuration: 'Customer Support Agent' });
    expect(loaded?.dependsOn).toEqual(['agents/support.suite.yaml', 'agents/instructions/system.md', 'docs/order.pdf']);
  });

  test('a case file of seed 001 is named by a suite and keeps every field (S1-05, S1-13, S1-16, S1-23, S1-25, S1-26)', () => {
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': project,
      'evals/a.suite.yaml': `name: A\nagent: { name: a, instructions: x, ai_configuration: gpt-4o, tools: [{ name: refund }, { name: close }] }\njudge: { ai_configuration: llama }\ncases: [cases/refund.yaml]\n`,
      'evals/cases/refund.yaml': `
schema_version: "1.0.0"
name: Refund
description: null
difficulty: hard
tags: [edge-case, normal, edge-case]
persona: { type: polite-customer, description: Bought five days ago, instructions: Give the number when asked }
initial_message: I want my money back
user_context: { order_id: A-1, nested: { camelCase: [1, null] } }
max_turns: null
expected_outcomes: { refundIssued: true }
expected_tool_calls: [{ tool: refund, expected_params: null }, { tool: close, expected_params: { orderId: A-1 } }]
evaluation_criteria_override: null
`,
    });
    expect(brief(problems)).toEqual([]);
    const [loaded] = definitions.suites;
    expect(loaded?.suite.cases[0]).toMatchObject({
      name: 'Refund',
      kind: 'simulated',
      tags: ['edge-case', 'normal'],
      user_context: { order_id: 'A-1', nested: { camelCase: [1, null] } },
      expected_outcomes: { refundIssued: true },
      expected_tool_calls: [
        { tool: 'refund', expected_params: null, forbidden: false },
        { tool: 'close', expected_params: { orderId: 'A-1' }, forbidden: false },
      ],
    });
    expect(loaded?.casePositions.get('Refund')).toEqual({ line: 4, column: 9 });
    expect(loaded?.caseFiles.get('Refund')).toBe('evals/cases/refund.yaml');
    expect(loaded?.dependsOn).toContain('evals/cases/refund.yaml');
  });

  test('an ExpectedBehavior of seed 002 is read in its own spelling (S2-32, S2-33, S2-35, S2-36)', () => {
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': project,
      'a.suite.json': JSON.stringify({
        name: 'A',
        agent: { name: 'a', instructions: 'x', ai_configuration: 'gpt-4o' },
        judge: { ai_configuration: 'gpt-4o' },
        scheduleType: 'weekly',
        scheduleTime: '18:00',
        scheduleDayOfWeek: 0,
        alertThresholdPercent: 5,
        cases: [
          {
            name: 'q',
            question: 'q?',
            sortOrder: 2,
            expectedBehavior: {
              mode: 'any',
              checks: [
                { type: 'contains_phrases', phrases: ['a'], caseSensitive: true },
                { type: 'semantic_similarity', expectedAnswer: 'a', threshold: 0.8 },
                { type: 'llm_judge', expectedAnswer: 'a', criteria: 'same' },
              ],
            },
          },
          { name: 'first', question: 'x', expectedBehavior: { checks: [{ type: 'equals', value: 'x' }] } },
        ],
      }),
    });
    expect(brief(problems)).toEqual([]);
    const suite = definitions.suites[0]?.suite;
    expect(suite).toMatchObject({
      schedule_type: 'weekly',
      schedule_time: '18:00',
      schedule_day_of_week: 0,
      alert_threshold_percent: 5,
    });
    expect(suite?.cases.map(({ name, input }) => [name, input])).toEqual([
      ['first', 'x'],
      ['q', 'q?'],
    ]);
    expect(suite?.cases[1]?.expected_behavior).toEqual({
      mode: 'any',
      checks: [
        { type: 'contains_phrases', phrases: ['a'], case_sensitive: true },
        { type: 'semantic_similarity', expected_answer: 'a', threshold: 0.8 },
        { type: 'llm_judge', expected_answer: 'a', criteria: 'same' },
      ],
    });
  });

  test('type, test and suite documents of seed 004 are read as they are (S4-02, S4-03, S4-04, S4-22, S4-28)', () => {
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': `${project}test_types: [types/*.type.json]\n`,
      'types/region.type.json': JSON.stringify({
        schemaVersion: '1.0',
        variables: [
          {
            name: 'Region',
            displayName: 'Region',
            dataType: 'string',
            valueSource: 'static',
            possibleValues: [{ value: 'eu' }, { value: 'us' }],
            required: true,
          },
          { name: 'Model', displayName: 'Model', dataType: 'string', valueSource: 'entity', required: false },
        ],
      }),
      'a.suite.yaml': suiteOf(`test_type: region
variables: { variables: { Region: eu } }
cases:
  - name: a
    input: Where is {{Region}}?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["{{Region}}"] }] }
    variables: { variables: { Model: { exposed: true, defaultValue: gpt-4o, locked: true, restrictedValues: [gpt-4o] } } }`),
    });
    expect(brief(problems)).toEqual([]);
    const [loaded] = definitions.suites;
    expect(loaded?.suite.variables).toEqual({ Region: 'eu' });
    expect(loaded?.suite.cases[0]?.variables).toEqual({
      Model: { exposed: true, defaultValue: 'gpt-4o', locked: true, restrictedValues: ['gpt-4o'] },
    });
    expect(loaded?.testType.variables_schema.variables[1]?.possibleValues).toEqual([
      { value: 'gpt-4o' },
      { value: 'llama' },
    ]);
    expect(loaded?.dependsOn).toEqual(['a.suite.yaml', 'types/region.type.json', 'proofmark.yaml']);
  });
});

describe('the agent of a suite', () => {
  test('is found beside the suite, also above it, but not outside the repository', () => {
    const agent = 'name: a\ninstructions: x\nai_configuration: gpt-4o\n';
    const files = { 'proofmark.yaml': project, 'agents/a.agent.yaml': agent };
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
    expect(problemsOf(suite, { 'proofmark.yaml': project })).toMatchObject([
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
      'proofmark.yaml': `${project}limits: { concurrency: 0 }\n`,
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
