import { describe, expect, test } from 'vitest';
import { brief, type Files, loadFiles, okCase, problemsOf } from '../definitions/sample-files.ts';

const project = `ai_configurations:
  gpt-4o: { provider: openai, model: gpt-4o, api_key_env: KEY }
  llama: { provider: openai, model: llama-3.1 }
`;
const openai = (body: string): string =>
  `name: S\nagent: { name: a, instructions: Be kind, ai_configuration: gpt-4o, tools: [{ name: refund }] }\n${body}\n`;
const judged = (cases: string): string => openai(`judge: { ai_configuration: llama }\ncases:\n${cases}`);
const review = (text: string, others: Files = {}): string[] =>
  brief(problemsOf(text, { 'proofmark.yaml': project, ...others }));
const messages = (text: string, others: Files = {}): string =>
  problemsOf(text, { 'proofmark.yaml': project, ...others })
    .map(({ message }) => message)
    .join('\n');

describe('means of judgement (C20)', () => {
  test.each([
    ['nothing', '{ name: a, input: hi }', ['5 required cases.0']],
    ['an empty list of tools', '{ name: a, input: hi, expected_tool_calls: [] }', ['5 required cases.0']],
    [
      'no outcome',
      '{ name: a, persona: { type: x, description: y, instructions: z }, expected_outcomes: {} }',
      ['5 required cases.0'],
    ],
    ['a tool', '{ name: a, input: hi, expected_tools: [refund] }', []],
    ['an outcome', '{ name: a, initial_message: hi, expected_outcomes: { done: true } }', []],
    ['a rubric of its own', '{ name: a, initial_message: hi, evaluation_criteria_override: Be strict }', []],
    ['nothing, as a draft', '{ name: a, input: hi, status: draft }', ['warning 4 invalid_value cases']],
    ['nothing, disabled', '{ name: a, input: hi, is_enabled: false }', ['warning 4 invalid_value cases']],
  ])('a case that is judged by %s', (_, testCase, expected) => {
    expect(review(judged(`  - ${testCase}`))).toEqual(expected);
  });

  test('metrics of the suite judge every case, unless the case selects none that is enabled', () => {
    const metrics =
      'evaluations: { metrics: [{ metric: relevance, model: llama }, { metric: fluency, model: llama, enabled: false }] }';
    const cases = 'cases:\n  - { name: a, input: hi }\n  - { name: b, input: hi, evaluations: [fluency] }';
    expect(review(openai(`${metrics}\n${cases}`))).toEqual(['6 required cases.1']);
  });

  test('a metric that the suite does not configure is named with its case (S0-13, C47)', () => {
    const text = openai(
      'evaluations: { metrics: [{ metric: relevance, model: llama }] }\ncases:\n  - { name: Hours, input: hi, evaluations: [relevence] }',
    );
    expect(messages(text)).toContain(
      'case `Hours` lists the metric `relevence`, which `evaluations` of the suite does not configure, did you mean `relevance`?',
    );
  });
});

describe('models that measure', () => {
  test.each([
    [
      'llm_judge',
      'input: hi, expected_behavior: { checks: [{ type: llm_judge, expected_answer: x }] }',
      'cases.0.expected_behavior.checks.0',
    ],
    [
      'semantic_similarity',
      'input: hi, expected_behavior: { checks: [{ type: semantic_similarity, expected_answer: x, threshold: 0.5 }] }',
      'cases.0.expected_behavior.checks.0',
    ],
    ['outcomes', 'input: hi, expected_outcomes: { a: true }', 'cases.0.expected_outcomes'],
    ['a simulated user', 'initial_message: hi, expected_tools: [refund]', 'cases.0'],
  ])('%s without a model is an error at its place', (_, fields, path) => {
    expect(review(openai(`cases:\n  - { name: a, ${fields} }`))).toEqual([`4 required ${path}`]);
  });

  test('a judge alone also simulates, and its provider embeds', () => {
    const text = judged(`  - { name: a, initial_message: hi, expected_outcomes: { a: true } }
  - { name: b, input: hi, expected_behavior: { checks: [{ type: semantic_similarity, expected_answer: x, threshold: 0.5 }] } }`).replace(
      'ai_configuration: llama',
      'ai_configuration: gpt-4o',
    );
    const { definitions, problems } = loadFiles({ 'proofmark.yaml': project, 's.suite.yaml': text });
    expect(problems).toEqual([]);
    expect(definitions.suites[0]?.suite).toMatchObject({
      simulator: { ai_configuration: 'gpt-4o' },
      embedding: { ai_configuration: 'gpt-4o/embeddings' },
    });
    expect(definitions.project.ai_configurations['gpt-4o/embeddings']).toEqual({
      provider: 'openai',
      model: 'text-embedding-3-small',
      api_key_env: 'KEY',
    });
  });

  test('a metric that embeds gets a model from the judge as well', () => {
    const text = openai(`judge: { ai_configuration: llama }
evaluations: { metrics: [{ metric: semantic_similarity }] }
cases:\n  - { name: a, input: hi, ground_truth: x }`);
    const { definitions, problems } = loadFiles({ 'proofmark.yaml': project, 's.suite.yaml': text });
    expect(problems).toEqual([]);
    expect(definitions.suites[0]?.suite.embedding).toEqual({ ai_configuration: 'llama/embeddings' });
  });

  test('every AI configuration that is named must exist', () => {
    const text = openai(`judge: { ai_configuration: gpt4o, panel: [llama, lama, gpt-4o] }
simulator: { ai_configuration: x }
embedding: { ai_configuration: y }
variables: { AIConfiguration: gpt-4 }
matrix: { AIConfiguration: [llama, z] }
cases:\n${okCase}`);
    expect(review(text)).toEqual([
      '3 not_found judge.ai_configuration',
      '3 not_found judge.panel.1',
      '4 not_found simulator.ai_configuration',
      '5 not_found embedding.ai_configuration',
      '6 invalid_value variables.AIConfiguration',
      '7 invalid_value matrix.AIConfiguration.1',
    ]);
    expect(messages(text)).toContain('there is no AI configuration `gpt4o`, did you mean `gpt-4o`?');
  });

  test('mocks for a service that runs its tools itself are an error, unless they are ignored anyway', () => {
    const suite = (settings: string) =>
      `name: S
agent:
  name: a
  tools: [{ name: refund }]
  driver: { type: http, url: "https://a.example.com", mapping: { request: { q: { $from: input } }, response: text } }
mocks: [{ tool: refund, returns: 1 }]
${settings}
cases:\n${okCase}`;
    expect(review(suite(''))).toEqual(['6 exclusive mocks']);
    expect(review(suite('mock_settings: { mode: live }'))).toEqual([]);
  });

  test('live tools are worth a warning where no driver has any', () => {
    const text = openai(`mock_settings: { mode: mixed }\ncases:\n${okCase}`);
    expect(review(text)).toEqual(['warning 3 invalid_value mock_settings.mode']);
    expect(messages(text)).toContain('`mode: mixed` reaches no tool');
  });

  test('a panel has three or five members', () => {
    const text = openai(`judge: { ai_configuration: llama, panel: [llama, llama, llama, llama] }\ncases:\n${okCase}`);
    expect(review(text)).toEqual(['3 invalid_value judge.panel']);
  });
});

describe('metrics are bound before a run starts', () => {
  test.each([
    ['an unknown name', '{ metric: groundednes, model: llama }', '3 invalid_enum evaluations.metrics.0.metric'],
    ['no model to embed with', '{ metric: semantic_similarity }', '3 required evaluations.metrics.0'],
    ['no model', '{ metric: relevance }', '3 required evaluations.metrics.0'],
    [
      'a threshold above 1 without a scale',
      '{ metric: bleu, threshold: 2 }',
      '3 out_of_range evaluations.metrics.0.threshold',
    ],
    [
      'a threshold above the scale',
      '{ metric: relevance, model: llama, scale: 5, threshold: 6 }',
      '3 out_of_range evaluations.metrics.0.threshold',
    ],
    [
      'a rubric without criteria',
      '{ type: geval, name: tone, model: llama }',
      '3 required evaluations.metrics.0.criteria',
    ],
    [
      'a rag metric without its type',
      '{ type: rag, metric: mine, model: llama }',
      '3 required evaluations.metrics.0.metric_type',
    ],
    [
      'a threshold of 0',
      '{ metric: relevance, model: llama, threshold: 0 }',
      'warning 3 invalid_value evaluations.metrics.0.threshold',
    ],
  ])('%s', (_, metric, expected) => {
    expect(
      review(
        openai(
          `evaluations: { metrics: [${metric}] }\ncases:\n  - { name: a, input: hi, ground_truth: x, expected_tools: [refund] }`,
        ),
      ),
    ).toEqual([expected]);
  });

  test('a metric twice is a duplicate', () => {
    expect(
      review(
        openai(
          `evaluations: { metrics: [{ metric: f1 }, { metric: f1 }] }\ncases:\n  - { name: a, input: hi, ground_truth: x }`,
        ),
      ),
    ).toEqual(['3 duplicate evaluations.metrics.1.metric']);
  });

  test('a metric that compares needs a ground truth in every case that it judges', () => {
    const text = openai(
      'evaluations: { metrics: [{ metric: bleu }, { metric: relevance, model: llama }] }\ncases:\n  - { name: a, input: hi }\n  - { name: b, input: hi, evaluations: [relevance] }',
    );
    expect(review(text)).toEqual(['5 required cases.0']);
  });

  test('all metrics that miss a ground truth are one problem of the case', () => {
    const text = openai(
      'evaluations: { metrics: [{ metric: bleu }, { metric: f1 }] }\ncases:\n  - { name: a, input: hi }',
    );
    expect(messages(text)).toBe('case `a` needs a `ground_truth`: the metrics `bleu`, `f1` compare with it');
  });
});

describe('a ground truth that a metric cannot work with', () => {
  const warned = (metric: string, truth: string): string[] =>
    problemsOf(
      openai(`evaluations: { metrics: [{ ${metric} }] }\ncases:\n  - { name: a, input: hi, ground_truth: "${truth}" }`),
      { 'proofmark.yaml': project },
    ).map(
      ({ severity, path, message, hint }) => `${severity} ${path}: ${message}${hint === undefined ? '' : ` | ${hint}`}`,
    );

  test.each([
    [
      'metric: numeric',
      'many',
      'warning cases.0.ground_truth: `ground_truth` is not a number, so the metric `numeric` can never pass',
    ],
    [
      'metric: numeric',
      '50%',
      'warning cases.0.ground_truth: `ground_truth` is not a number, so the metric `numeric` can never pass | Set `accept_percent: true` on the metric.',
    ],
    [
      'metric: numeric',
      '1,200',
      'warning cases.0.ground_truth: `ground_truth` is not a number, so the metric `numeric` can never pass | Set `accept_thousands_separators: true` on the metric.',
    ],
    [
      'metric: meteor, threshold: 0.9',
      'yes',
      'warning cases.0.ground_truth: a `ground_truth` of one word reaches at most 0.5 with `meteor`, below its threshold 0.9 | Lower the threshold, or use `equality` or `f1` for short answers.',
    ],
    [
      'metric: meteor, threshold: 4.9, scale: 5',
      'we open',
      'warning cases.0.ground_truth: a `ground_truth` of 2 words reaches at most 4.6875 with `meteor`, below its threshold 4.9 | Lower the threshold, or use `equality` or `f1` for short answers.',
    ],
    [
      'metric: rougeL',
      'Мы открыты с 9',
      'warning cases.0.ground_truth: `rougeL` sees only the letters a to z and digits of `ground_truth` | Use `similarity` or `semantic_similarity`, which read every script.',
    ],
  ])('%s with %j', (metric, truth, expected) => {
    expect(warned(metric, truth)).toEqual([expected]);
  });

  test.each([
    ['metric: numeric', ' -1.5e3 '],
    ['metric: numeric, accept_percent: true', '50%'],
    ['metric: numeric, accept_thousands_separators: true', '1,200'],
    ['metric: numeric', '{{Temperature}}'],
    ['metric: meteor, threshold: 0.5', 'yes'],
    ['metric: meteor', 'yes'],
    ['metric: rouge', 'We open — at 9'],
  ])('%s with %j is fine', (metric, truth) => {
    expect(warned(metric, truth)).toEqual([]);
  });
});

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

describe('legal but vacuous', () => {
  test.each([
    ['only forbidden tools', 'expected_tool_calls: [{ tool: refund, forbidden: true }]'],
    [
      'only what must not be said',
      'expected_behavior: { checks: [{ type: not_contains, phrases: [x] }, { type: latency, max_ms: 10 }] }',
    ],
    ['a pattern that nothing matches too', 'expected_behavior: { checks: [{ type: regex, pattern: "a*" }] }'],
    [
      'one of several that always holds',
      'expected_behavior: { mode: any, checks: [{ type: equals, value: x }, { type: length, max: 9 }] }',
    ],
  ])('%s: an agent that does nothing would pass', (_, fields) => {
    expect(messages(openai(`cases:\n  - { name: a, input: hi, ${fields} }`))).toBe(
      'an agent that does nothing would pass the case `a`',
    );
  });

  test('a ground truth that fails the case’s own checks', () => {
    const text = openai(`cases:
  - name: a
    input: hi
    ground_truth: 9 to 17
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["18"] }, { type: not_contains, phrases: ["17"] }, { type: regex, pattern: "^x" }, { type: equals, value: "9 TO 17" }, { type: starts_with, value: to }, { type: contains_phrases, phrases: ["9 TO"] }, { type: starts_with, value: "9 TO" }] }`);
    expect(review(text)).toEqual(
      [0, 1, 2, 3, 4].map((index) => `warning 7 invalid_value cases.0.expected_behavior.checks.${index}`),
    );
  });

  test('tools that the agent does not have, or has in another case', () => {
    const text = openai(
      'mocks: [{ tool: refunds, returns: 1 }]\ncases:\n  - { name: a, input: hi, expected_tools: [Refund] }',
    );
    expect(messages(text)).toBe(
      "the agent declares no tool `refunds`, did you mean `refund`?\n`Refund` and the agent's tool `refund` differ only in case",
    );
  });

  test('a conversation longer than the limit of the project', () => {
    expect(messages(judged('  - { name: a, initial_message: hi, max_turns: 41, expected_tools: [refund] }'))).toBe(
      '`max_turns` is cut to 40, the limit of the project',
    );
  });
});

describe('patterns and schemas of users are tried before a run needs them', () => {
  test('patterns of matchers, in mocks and in expectations', () => {
    const text =
      openai(`mocks: [{ tool: refund, when: { id: { $regex: "(" } }, returns: 1 }, { tool: refund, sequence: [{ returns: 1 }], returns: 2 }]
cases:
  - { name: a, input: hi, expected_tool_calls: [{ tool: refund, expected_params: { id: { $regex: '(?<=a)b' }, n: { $range: [2, 1] }, m: { $literal: { $regex: "(" } } } }] }`);
    expect(review(text)).toEqual([
      '3 invalid_format mocks.0.when.id.$regex',
      '3 exclusive mocks.1.sequence',
      '5 invalid_format cases.0.expected_tool_calls.0.expected_params.id.$regex',
      '5 out_of_range cases.0.expected_tool_calls.0.expected_params.n.$range',
    ]);
  });

  test('a change of the state of mocks needs a value to put there, unless it removes', () => {
    const patches = '[{ op: add, path: [a] }, { op: remove, path: [a] }, { op: replace, path: [b], value: null }]';
    const text = openai(`mocks: [{ tool: refund, returns: 1, set: ${patches} }]
cases:
  - { name: a, input: hi, expected_tools: [refund] }`);
    expect(review(text)).toEqual(['3 required mocks.0.set.0.value']);
  });

  test('a JSON Schema that would check less than it says is refused', () => {
    const schema = (text: string): string =>
      messages(
        openai(
          `cases:\n  - { name: a, input: hi, expected_behavior: { checks: [{ type: json_schema, schema: ${text} }] } }`,
        ),
      );
    expect(schema('{ type: object, properties: { a: { type: integer, minimum: 1 } }, required: [a] }')).toBe('');
    expect(schema('{ required: [a] }')).toBe('in the schema: `required` needs `type: object` beside it');
    expect(schema('{ type: object, properties: { a: { type: string, pattern: "(a+)+" } } }')).toBe(
      'at /properties/a: keyword `pattern` is not supported',
    );
    expect(schema('{ type: objct }')).toContain('objct');
  });
});
