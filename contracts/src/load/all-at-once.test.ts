import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadFiles } from './sample-files.fixture.ts';

const project = `ai_configurations:
  gpt-4o: { provider: openai, model: gpt-4o, temprature: 1 }
  broken: { provider: openai }
presets: { fast: { Temperatur: 0 } }
`;

const mistakes = `name: Dozen
agent: { name: A, instructions: "Be {{Tone}}", tools: [{ name: refund, retrieval: x }], ai_configuration: gpt4o }
judge: { ai_configuration: gtp-4o, panel: [gpt-4o, gpt-4o] }
variables: { Temprature: 1, Temperature: hot }
evaluations: { metrics: [ { metric: 5 }, { metric: blue }, { metric: rouge, threshold: "0.7" } ] }
mocks: [ { tool: "" }, { tool: refnd, when: { id: { $regx: "a" } }, returns: { $form: args.id } } ]
repetitions: 0
matrix: { MaxTokens: [1, 1], include: [5, { Temparature: 0 }] }
cases:
  - name: One
    input: 5
    evaluations: [rogue]
  - name: One
    input: hello {{Temperatur}}
    dificulty: hard
    ground_truth: x
    expected_tool_calls: [ { tol: x }, { tool: Refund, expected_params: { a: { $rang: [1, 2] } } } ]
  - 7
  - name: Three
    input: x
    ground_truth: x
    expected_behavior:
      checks:
        - { type: contains_phrase, phrases: [x] }
        - { type: contains_phrases, phrases: ["{{Tempratur}}"] }
  - name: Three
    input: x
    ground_truth: x
    expected_behavior: { checks: [ { type: regex, pattern: "(" } ] }
    variables: { Temperature: { defaultValue: warm }, MaxToken: { locked: true } }
`;

test('one file with mistakes of every kind is told all of them in one round, each with its place and a near match', () => {
  const files = { 'proofmark.yaml': project, 's.suite.yaml': mistakes };
  const { problems, definitions } = loadFiles(files);
  expect(
    problems.map(
      ({ file, line, column, code, path, message }) => `${file}:${line}:${column} ${code} ${path} | ${message}`,
    ),
  ).toMatchInlineSnapshot(`
    [
      "proofmark.yaml:2:46 unknown_field ai_configurations.gpt-4o.temprature | unknown key \`temprature\`, did you mean \`temperature\`?",
      "proofmark.yaml:3:3 required ai_configurations.broken.model | \`model\` is missing",
      "proofmark.yaml:4:20 unknown_variable presets.fast.Temperatur | the test type has no variable \`Temperatur\`, did you mean \`Temperature\`?",
      "s.suite.yaml:2:33 unknown_variable agent.instructions | unknown template expression \`{{Tone}}\`",
      "s.suite.yaml:2:83 invalid_type agent.tools.0.retrieval | must be a boolean (true or false)",
      "s.suite.yaml:2:107 not_found agent.ai_configuration | there is no AI configuration \`gpt4o\`, did you mean \`gpt-4o\`?",
      "s.suite.yaml:3:28 not_found judge.ai_configuration | there is no AI configuration \`gtp-4o\`, did you mean \`gpt-4o\`?",
      "s.suite.yaml:3:43 too_short judge.panel | must have at least 3 entries",
      "s.suite.yaml:3:43 invalid_value judge.panel | must have 3 or 5 members",
      "s.suite.yaml:4:14 unknown_variable variables.Temprature | the test type has no variable \`Temprature\`, did you mean \`Temperature\`?",
      "s.suite.yaml:4:42 invalid_type variables.Temperature | must be a number",
      "s.suite.yaml:5:37 invalid_type evaluations.metrics.0.metric | must be a string, put it in quotes",
      "s.suite.yaml:5:52 invalid_enum evaluations.metrics.1.metric | there is no metric \`blue\`, did you mean \`bleu\`?",
      "s.suite.yaml:5:88 invalid_type evaluations.metrics.2.threshold | must be a number",
      "s.suite.yaml:6:18 too_short mocks.0.tool | must not be empty",
      "s.suite.yaml:6:32 not_found mocks.1.tool | the agent declares no tool \`refnd\`, did you mean \`refund\`?",
      "s.suite.yaml:6:53 unknown_field mocks.1.when.id.$regx | unknown matcher \`$regx\`, did you mean \`$regex\`?",
      "s.suite.yaml:6:80 unknown_field mocks.1.returns.$form | unknown template \`$form\`, did you mean \`$from\`?",
      "s.suite.yaml:7:14 out_of_range repetitions | must be at least 1",
      "s.suite.yaml:8:26 duplicate matrix.MaxTokens.1 | \`1\` stands twice on the axis \`MaxTokens\`",
      "s.suite.yaml:8:40 invalid_type matrix.include.0 | must be a mapping of keys",
      "s.suite.yaml:8:45 unknown_variable matrix.include.1.Temparature | the test type has no variable \`Temparature\`, did you mean \`Temperature\`?",
      "s.suite.yaml:11:12 invalid_type cases.0.input | must be a string, put it in quotes",
      "s.suite.yaml:13:11 duplicate cases.1.name | duplicate case name \`One\`, first on line 10",
      "s.suite.yaml:14:12 unknown_variable cases.1.input | unknown template expression \`{{Temperatur}}\`, did you mean \`Temperature\`?",
      "s.suite.yaml:15:5 unknown_field cases.1.dificulty | unknown key \`dificulty\`, did you mean \`difficulty\`?",
      "s.suite.yaml:17:28 required cases.1.expected_tool_calls.0.tool | \`tool\` is missing",
      "s.suite.yaml:17:30 unknown_field cases.1.expected_tool_calls.0.tol | unknown key \`tol\`, did you mean \`tool\`?",
      "s.suite.yaml:17:48 not_found cases.1.expected_tool_calls.1.tool | \`Refund\` and the agent's tool \`refund\` differ only in case",
      "s.suite.yaml:17:80 unknown_field cases.1.expected_tool_calls.1.expected_params.a.$rang | unknown matcher \`$rang\`, did you mean \`$range\`?",
      "s.suite.yaml:18:5 invalid_type cases.2 | must be a mapping of keys",
      "s.suite.yaml:24:19 invalid_enum cases.3.expected_behavior.checks.0.type | must be one of contains_phrases, semantic_similarity, llm_judge, not_contains, equals, starts_with, ends_with, one_of, regex, is_json, json_schema, json_path, contains_json, number, levenshtein, length, latency, cost, tool_count, valid_tool_calls, code, command, http, not, group; did you mean \`contains_phrases\`?",
      "s.suite.yaml:25:47 unknown_variable cases.3.expected_behavior.checks.1.phrases.0 | unknown template expression \`{{Tempratur}}\`, did you mean \`Temperature\`?",
      "s.suite.yaml:26:11 duplicate cases.4.name | duplicate case name \`Three\`, first on line 19",
      "s.suite.yaml:29:60 invalid_format cases.4.expected_behavior.checks.0.pattern | pattern not supported: missing closing ): \`(\`",
      "s.suite.yaml:30:47 invalid_type cases.4.variables.Temperature.defaultValue | must be a number",
      "s.suite.yaml:30:55 unknown_variable cases.4.variables.MaxToken | the test type has no variable \`MaxToken\`, did you mean \`MaxTokens\`?",
    ]
  `);
  expect(definitions.suites).toEqual([]);
});

test('repairing one mistake uncovers no other', () => {
  const told = (text: string): string[] =>
    loadFiles({ 'proofmark.yaml': project, 's.suite.yaml': text }).problems.map(({ path, code }) => `${path} ${code}`);
  const before = told(mistakes);
  const repairs: [from: string, to: string][] = [
    ['repetitions: 0', 'repetitions: 1'],
    ['dificulty', 'difficulty'],
    ['threshold: "0.7"', 'threshold: 0.7'],
    ['input: 5', 'input: "5"'],
    ['retrieval: x', 'retrieval: true'],
    ['pattern: "("', 'pattern: "()"'],
  ];
  for (const [from, to] of repairs) {
    const after = told(mistakes.replace(from, to));
    expect(after.filter((line) => !before.includes(line))).toEqual([]);
    expect(after).toHaveLength(before.length - 1);
  }
});

/** Anything that JSON can say; also objects that cannot be made a text, and names that every object has. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom({ toString: '' }, [{ toString: '' }], 'constructor', '__proto__', { type: { toString: '' } }),
);

test('whatever stands in place of any part, nothing is thrown, and a suite is only loaded without an error', () => {
  const whole: unknown = JSON.parse(
    JSON.stringify({
      name: 'S',
      agent: { name: 'a', instructions: 'x', model: { provider: 'openai', name: 'm' }, tools: [{ name: 't' }] },
      judge: { ai_configuration: 'a' },
      variables: { Temperature: 0 },
      evaluations: {
        metrics: [
          { metric: 'bleu', threshold: 0.5 },
          { metric: 'own', type: 'geval', criteria: 'c' },
        ],
      },
      mocks: [{ tool: 't', when: { a: { $regex: 'x' } }, returns: { $from: 'args.a' } }],
      matrix: { Temperature: [0, 1], include: [{ Temperature: 2 }] },
      cases: [
        { name: 'one', input: 'hi', ground_truth: 'x', expected_behavior: { checks: [{ type: 'is_json' }] } },
        { name: 'two', persona: { type: 't', description: 'd', instructions: 'i' }, expected_outcomes: { a: true } },
      ],
    }),
  );
  const paths = pathsOf(whole);
  fc.assert(
    fc.property(fc.subarray(paths, { minLength: 1, maxLength: 4 }), anything, (chosen, value) => {
      const text = JSON.stringify(chosen.reduce((tree, path) => replaced(tree, path, value), whole));
      const { problems, definitions } = loadFiles({ 's.suite.json': text });
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect(definitions.suites).toHaveLength(errors.length === 0 ? 1 : 0);
    }),
    {
      numRuns: 300,
      examples: [
        [[['evaluations', 'metrics', 0, 'metric']], { toString: '' }],
        [[['evaluations', 'metrics', 1, 'type']], { toString: '' }],
        [[['evaluations', 'metrics', 1, 'type']], 'constructor'],
        [[['agent', 'model', 'provider']], { toString: '' }],
      ],
    },
  );
});

type Path = (string | number)[];

const pathsOf = (value: unknown): Path[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]): Path[] => {
        const segment = Array.isArray(value) ? Number(key) : key;
        return [[segment], ...pathsOf(inner).map((path) => [segment, ...path])];
      });

function replaced(tree: unknown, [segment, ...rest]: Path, value: unknown): unknown {
  if (segment === undefined) return value;
  if (typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item, index) => (index === segment ? replaced(item, rest, value) : item));
  return Object.fromEntries(
    Object.entries(tree).map(([key, item]) => [key, key === segment ? replaced(item, rest, value) : item]),
  );
}

test('a test type with one wrong variable still checks the others, and says nothing about the wrong one', () => {
  const type = (wrong: string): string =>
    `name: mine\nvariables_schema:\n  schemaVersion: "1.0"\n  variables:\n    - { name: Tone, displayName: T, dataType: string, valueSource: static, required: false, ${wrong} }\n    - { name: Size, displayName: S, dataType: number, valueSource: freeform, required: false }\n`;
  const suite = `name: S\nagent: { name: a, driver: { type: scripted, replies: [{ reply: hi }] } }\ntest_type: mine\nvariables: { Tone: 5, Size: big, Sise: 1 }\ncases: [{ name: c, input: "{{Tone}} {{Tune}}", expected_behavior: { checks: [{ type: is_json }] } }]\n`;
  const found = (wrong: string): string[] =>
    loadFiles({
      'proofmark.yaml': 'test_types: [a.type.yaml]\n',
      'a.type.yaml': type(wrong),
      's.suite.yaml': suite,
    }).problems.map(({ file, code, path }) => `${file} ${code} ${path}`);
  const ofSuite = [
    's.suite.yaml invalid_type variables.Size',
    's.suite.yaml unknown_variable variables.Sise',
    's.suite.yaml unknown_variable cases.0.input',
  ];
  expect(found('possibleValues: []')).toEqual([
    'a.type.yaml too_short variables_schema.variables.0.possibleValues',
    ...ofSuite,
  ]);
  expect(found('possibleValues: [{ value: warm }]')).toEqual(['s.suite.yaml invalid_type variables.Tone', ...ofSuite]);
});

test('a project file that cannot be read makes no suite look wrong', () => {
  const suite = `name: S\nagent: { name: a, instructions: x, ai_configuration: gpt-4o }\ntest_type: mine\njudge: { ai_configuration: other }\ncases: [{ name: c, input: hi, expected_behavior: { checks: [{ type: is_json }] } }]\n`;
  const { problems, definitions } = loadFiles({ 'proofmark.yaml': 'suites: [\n', 's.suite.yaml': suite });
  expect(problems.map(({ file, code }) => `${file} ${code}`)).toEqual(['proofmark.yaml parse_error']);
  expect(definitions.suites).toEqual([]);
});

test('a case file that cannot be read stops its suite, and hides nothing of the other cases', () => {
  const suite = `name: S\nagent: { name: a, driver: { type: scripted, replies: [{ reply: hi }] } }\ncases: [a.case.yaml, { name: c, input: "{{Nme}}" }]\n`;
  const { problems, definitions } = loadFiles({ 's.suite.yaml': suite, 'a.case.yaml': 'name: [\n' });
  expect(problems.map(({ file, code }) => `${file} ${code}`)).toEqual([
    's.suite.yaml required',
    's.suite.yaml unknown_variable',
    'a.case.yaml parse_error',
  ]);
  expect(definitions.suites).toEqual([]);
});
