import { expect, test } from 'vitest';
import { cassetteLine } from '../definitions/cassette.ts';
import { type Files, loadFiles } from '../load/sample-files.fixture.ts';

const project = 'ai_configurations:\n  sim: { provider: openai, model: sim-1 }\n';
const agent = 'agent: { name: a, instructions: Be kind, ai_configuration: sim, tools: [{ name: search_orders }] }';
const cases = 'cases: [{ name: a, input: hi, expected_tools: [search_orders] }]';
const simulate = 'simulate: { instructions: Finds orders. }';
const simulator = 'simulator: { ai_configuration: sim }';

const load = (lines: readonly string[], files: Files = {}) =>
  loadFiles({
    'proofmark.yaml': project,
    'evals/s.suite.yaml': ['name: S', agent, ...lines, cases].join('\n'),
    ...files,
  });
const problems = (...lines: string[]): string[] =>
  load(lines).problems.map(({ severity, line, code, message }) => `${severity} ${line} ${code}: ${message}`);

test('a tool that a model plays needs that model, and the judge stands in for it', () => {
  const mocks = `mocks: [{ tool: search_orders, ${simulate}, times: always }]`;
  expect(problems(mocks, simulator)).toEqual([]);
  expect(problems(mocks)).toEqual(['error 3 required: a simulated tool needs a model']);
  expect(problems(mocks, 'mock_settings: { mode: live }')).not.toContainEqual(expect.stringContaining('needs a model'));
  const judged = load([mocks, 'judge: { ai_configuration: sim }']);
  expect(judged.problems).toEqual([]);
  expect(judged.definitions.suites[0]?.suite.simulator).toMatchObject({ ai_configuration: 'sim' });
});

test.each([
  ['returns', 'returns: 1'],
  ['sequence', 'sequence: [{ returns: 1 }]'],
  ['fault', 'fault: { kind: empty }'],
])('a simulated answer excludes %s beside it', (key, other) => {
  expect(problems(`mocks: [{ tool: search_orders, ${simulate}, ${other} }]`, simulator)).toEqual([
    `error 3 exclusive: \`simulate\` excludes \`${key}\` beside it`,
  ]);
});

test('misspelt keys, missing instructions and schemas that check nothing are told at their place', () => {
  const found = (mock: string) => problems(`mocks: [{ tool: search_orders, ${mock} }]`, simulator).join('\n');
  expect(found('simulate: { instruction: Finds. }')).toContain('did you mean `instructions`?');
  expect(found('simulated: { instructions: Finds. }')).toContain('did you mean `simulate`?');
  expect(found('simulate: { schema: { type: object } }')).toContain('instructions');
  expect(found('simulate: { instructions: Finds., schema: { typo: object } }')).toMatch(
    /error 3 invalid_value: .*typo/,
  );
  expect(problems('mock_settings: { casette: x }').join()).toContain('did you mean `cassette`?');
  expect(problems('mock_settings: { cassette_mode: replay-only }').join()).toContain('did you mean `replay_only`?');
});

test('a cassette is read beside its suite, which depends on it', () => {
  const entry = { key: 'a'.repeat(64), tool: 'search_orders', args: {}, result: [] };
  const lines = [
    `mocks: [{ tool: search_orders, ${simulate} }]`,
    'mock_settings: { cassette: ./orders.jsonl, cassette_mode: replay_only }',
    simulator,
  ];
  const { problems: found, definitions } = load(lines, { 'evals/orders.jsonl': cassetteLine(entry) });
  expect(found).toEqual([]);
  expect(definitions.suites[0]).toMatchObject({
    cassette: [entry],
    dependsOn: expect.arrayContaining(['evals/orders.jsonl']),
  });
});

test.each([
  ['is missing', {}, 'not_found: there is no file `evals/orders.jsonl`'],
  ['has a broken line', { 'evals/orders.jsonl': '\n{' }, 'invalid_format: line 2 of `evals/orders.jsonl` is not JSON'],
  [
    'is not text',
    { 'evals/orders.jsonl': Uint8Array.of(0xff, 0xfe) },
    'invalid_format: `evals/orders.jsonl` is not UTF-8',
  ],
  ['is too large', { 'evals/orders.jsonl': ' '.repeat(200_001) }, 'limit: `evals/orders.jsonl` has 200001 characters'],
])('a cassette that %s is told where it is named', (_, files, message) => {
  const lines = [
    `mocks: [{ tool: search_orders, ${simulate} }]`,
    'mock_settings: { cassette: orders.jsonl }',
    simulator,
  ];
  const [problem, ...others] = load(lines, files).problems;
  expect(others).toEqual([]);
  expect(`${problem?.line} ${problem?.code}: ${problem?.message}`).toContain(`4 ${message}`);
});

test('settings of a cassette that nothing would use are told', () => {
  const mocks = `mocks: [{ tool: search_orders, ${simulate} }]`;
  expect(problems(mocks, simulator, 'mock_settings: { cassette_mode: replay_only }')).toEqual([
    'error 5 required: `cassette_mode: replay_only` needs a `cassette` to replay',
  ]);
  const idle = load(['mock_settings: { cassette: orders.jsonl }'], { 'evals/orders.jsonl': '' });
  expect(idle.problems).toMatchObject([
    { severity: 'warning', line: 3, message: '`cassette` has no effect: no mock has `simulate`' },
  ]);
});
