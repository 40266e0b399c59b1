import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const variable = (name: string, dataType: string, more = '') =>
  `    - { name: ${name}, displayName: ${name}, dataType: ${dataType}, valueSource: freeform, required: false${more} }`;
const typeOf = (name: string, ...variables: string[]) => ({
  path: `types/${name}.type.yaml`,
  text: ['variables_schema:', '  schemaVersion: "1.0"', '  variables:', ...variables, ''].join('\n'),
});
const suiteOf = (name: string, type: string, ...lines: string[]) => ({
  path: `evals/${name}.suite.yaml`,
  text: [
    `name: ${name}`,
    'agent: { name: Desk, instructions: You answer for a shop. }',
    `test_type: ${type}`,
    ...lines,
    '',
  ].join('\n'),
});
const oneCase = (name: string, input: string, more = '') =>
  `  - { name: ${name}, input: "${input}", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] }${more} }`;

const files = [
  {
    path: 'proofmark.yaml',
    text: 'test_types: ["types/*.type.yaml"]\nai_configurations: { main: { provider: openai, model: model-main } }\n',
  },
  typeOf('numbers', variable('Day', 'number'), variable('Shop', 'string', ', defaultValue: Main Street')),
  typeOf('texts', variable('Day', 'string'), variable('Owner', 'string').replace('required: false', 'required: true')),
  suiteOf(
    'Numbers',
    'numbers',
    'variables: { Shop: Harbour }',
    'cases:',
    oneCase('Hours', 'When does {{Shop}} close on day {{Day}}?'),
    oneCase('Locked', 'And {{Shop}}?', ', variables: { Shop: { defaultValue: Airport, locked: true } }'),
  ),
  suiteOf('Texts', 'texts', 'cases:', oneCase('Owned', 'Who closes on day {{Day}}?')),
];

const startText = `mutation ($input: StartRunInput!) {
  startRun(input: $input) {
    __typename
    ... on StartRunSuccess { run { id } }
    ... on InvalidInput { problems { path code message } }
  }
}`;
const Started = z.object({ startRun: z.object({ run: z.object({ id: z.string() }) }) });

const ask = async (given: Record<string, unknown>) => {
  const suitePaths = ['evals/Numbers.suite.yaml', 'evals/Texts.suite.yaml'];
  const trigger = { triggeredBy: 'API' };
  const input = { idempotencyKey: randomUUID(), trigger, files, suitePaths, projectPath: 'proofmark.yaml', ...given };
  const { data, errors } = await running.ask(startText, { input });
  expect(errors).toEqual([]);
  return data;
};

/** Starts a run that must start, waits for its end, and returns its id. */
async function run(given: Record<string, unknown>): Promise<string> {
  const { id } = Started.parse(await ask(given)).startRun.run;
  await running.waitForEnd(id);
  return id;
}

const resultsOf = (runId: string) =>
  running.rows(
    `select s.suite_name as suite, c.case_name as name, c.status, c.error_kind as "errorKind",
       c.resolved_variables as resolved
     from test_case_results c join test_suite_runs s on s.id = c.run_id
     where s.run_id = $1 order by 1, 2`,
    [runId],
  );

const inputs = (from: number) =>
  running.model.requests
    .slice(from)
    .map(({ body }) => z.object({ messages: z.array(z.object({ content: z.unknown() })) }).parse(body))
    .map(({ messages }) => String(messages.at(-1)?.content))
    .toSorted();

test('S4-01 S4-29 one definition runs with the values of each run, and of its suite, without a copy', async () => {
  const before = running.model.requests.length;
  const selection = { suites: ['Numbers'] };
  const [first, second] = [
    await run({ selection, variables: { Day: 1 } }),
    await run({ selection, variables: { Day: 2, Shop: 'Old Town' } }),
  ];
  expect(inputs(before)).toEqual([
    'And Airport?',
    'And Airport?',
    'When does Harbour close on day 1?',
    'When does Old Town close on day 2?',
  ]);
  const sourcesOf = async (runId: string) =>
    (await resultsOf(runId)).map(({ name, resolved }) => [name, Resolved.parse(resolved).sources]);
  expect(await sourcesOf(first)).toEqual([
    ['Hours', { Day: 'run', Shop: 'suite' }],
    ['Locked', { Day: 'run', Shop: 'test' }],
  ]);
  expect(await sourcesOf(second)).toEqual([
    ['Hours', { Day: 'run', Shop: 'run' }],
    ['Locked', { Day: 'run', Shop: 'test' }],
  ]);
  expect(await running.rows(`select count(*)::int as suites from agent_test_suites where name = 'Numbers'`)).toEqual([
    { suites: 1 },
  ]);
});

const Resolved = z.object({ values: z.record(z.string(), z.unknown()), sources: z.record(z.string(), z.string()) });

test('S4-71 C40 C33 S4-36 S4-37 C36 S4-61 each suite converts raw text by its own type; what was resolved is kept with the result and the suite run', async () => {
  const before = running.model.requests.length;
  const runId = await run({ assignments: [{ name: 'Day', text: '7' }] });
  const hours = { values: { Day: 7, Shop: 'Harbour' }, sources: { Day: 'run', Shop: 'suite' } };
  const locked = { values: { Day: 7, Shop: 'Airport' }, sources: { Day: 'run', Shop: 'test' } };
  const rows = await resultsOf(runId);
  expect(rows).toMatchObject([
    { suite: 'Numbers', name: 'Hours', status: 'passed', resolved: hours },
    { suite: 'Numbers', name: 'Locked', status: 'passed', resolved: locked },
    // A required variable without a value: an error row, which no runner ever saw.
    { suite: 'Texts', name: 'Owned', status: 'error', errorKind: 'variables' },
  ]);
  expect(inputs(before)).toEqual(['And Airport?', 'When does Harbour close on day 7?']);
  expect(
    await running.rows(
      'select suite_name as suite, status, resolved_variables as resolved from test_suite_runs where run_id = $1 order by 1',
      [runId],
    ),
  ).toEqual([
    { suite: 'Numbers', status: 'completed', resolved: hours },
    { suite: 'Texts', status: 'completed', resolved: { values: { Day: '7' }, sources: { Day: 'run' } } },
  ]);
});

test('S4-36 a failed test run keeps the variables that it was resolved with', async () => {
  const phrases = 'phrases: ["never said"]';
  const failing = files.map(({ path, text }) => ({ path, text: text.replaceAll('phrases: ["17"]', phrases) }));
  const runId = await run({ files: failing, selection: { suites: ['Numbers'] }, variables: { Day: 3 } });
  expect(await resultsOf(runId)).toMatchObject([
    { status: 'failed', resolved: { values: { Day: 3, Shop: 'Harbour' } } },
    { status: 'failed', resolved: { values: { Day: 3, Shop: 'Airport' } } },
  ]);
});

test.each([
  ['S4-35 S4-82 text where a number is needed', { variables: { Day: '7' } }, 'variables.Day', 'invalid_type'],
  [
    'S4-35 raw text that is no number',
    { assignments: [{ name: 'Day', text: 'noon' }] },
    'variables.Day',
    'invalid_type',
  ],
  ['C37 a name that no test knows', { variables: { Colour: 'red' } }, 'variables.Colour', 'unknown_variable'],
  [
    'S4-87 a matrix of more than 256 cells',
    { matrix: [{ name: 'Day', values: Array.from({ length: 257 }, (_, day) => day) }] },
    'matrix',
    'limit',
  ],
])('%s stops a run before anybody asks the agent', async (_what, given, path, code) => {
  const before = running.model.requests.length;
  const answer = await ask({ selection: { suites: ['Numbers'] }, ...given });
  expect(JSON.stringify(answer)).toContain(`"path":"${path}","code":"${code}"`);
  expect(running.model.requests).toHaveLength(before);
});

test.each([
  ['an argument out of bounds', { repetitions: 0 }, 'repetitions: must be at least 1'],
  ['a key of the wrong form', { idempotencyKey: '' }, 'idempotencyKey: must be 1 to 200 printable ASCII characters'],
  [
    'a path that leaves the repository',
    { suitePaths: ['../x.suite.yaml'] },
    'suitePaths.0: must be a path below the root',
  ],
  [
    'a value that no variable can have',
    { variables: { Day: [1] } },
    'variables.Day: must be a string or a number or a',
  ],
])('%s is named with what it must be, in the words of definition files', async (_what, given, words) => {
  const text = startText.replace(
    '... on InvalidInput { problems { path code message } }',
    '... on UserError { message }',
  );
  const trigger = { triggeredBy: 'API' };
  const sent = { idempotencyKey: randomUUID(), trigger, files, suitePaths: ['evals/Numbers.suite.yaml'], ...given };
  const { data } = await running.ask(text, { input: sent });
  expect(JSON.stringify(data)).toContain(words);
});

test('a setting with a misspelt name is answered with the one that was meant (S4-85)', async () => {
  const { data } = await running.ask(
    'mutation { updateSetting(input: { key: "test_suites.retention_dys", value: "5" }) { __typename ... on UserError { message } } }',
  );
  expect(data?.updateSetting).toEqual({
    __typename: 'InvalidInput',
    message: expect.stringContaining('did you mean `test_suites.retention_days`?'),
  });
});
