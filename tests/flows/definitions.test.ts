import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const problems = '... on InvalidDefinitions { problems { code path message hint } }';
const failure = `__typename ... on UserError { code message } ${problems}`;

/** Sends one mutation with an input, and returns its result. */
async function mutate(name: string, input: Record<string, unknown>, fields: string, token?: string) {
  const inputType = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const text = `mutation ($input: ${inputType}!) { ${name}(input: $input) { ${failure} ${fields} } }`;
  const { data, errors } = await running.ask(text, { input }, token);
  expect(errors).toEqual([]);
  return z.record(z.string(), z.unknown()).parse(data?.[name]);
}

const remove = async (name: string, id: string) => {
  const { data, errors } = await running.ask(
    `mutation ($id: UUID!) { ${name}(id: $id) { __typename ... on UserError { code message } } }`,
    { id },
  );
  expect(errors).toEqual([]);
  return data?.[name];
};

const Row = z.looseObject({ id: z.uuid() });

/** Makes a definition that must be accepted. */
async function make(
  kind: string,
  field: string,
  input: Record<string, unknown>,
  fields = 'id',
): Promise<z.infer<typeof Row>> {
  const made = await mutate(`create${kind}`, input, `... on Create${kind}Success { ${field} { ${fields} } }`);
  expect(made).toMatchObject({ __typename: `Create${kind}Success` });
  return Row.parse(made[field]);
}

async function read(query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await running.ask(query, variables);
  expect(errors).toEqual([]);
  return data;
}

const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;

describe('AI configurations', () => {
  const wanted = () => ({
    name: unique('gpt'),
    provider: 'openai',
    model: 'gpt-4o',
    apiKeyEnv: 'OPENAI_API_KEY',
    price: { input: 2.5, output: 10 },
  });
  const fields =
    'id name provider model baseUrl apiKeyEnv temperature maxTokens price repositoryId createdAt updatedAt';

  test('S2-80 are made, changed, listed and deleted without SQL, and hold the name of a variable instead of a key', async () => {
    const input = wanted();
    const made = await make('AiConfiguration', 'aiConfiguration', input, fields);
    expect(made).toMatchObject({ ...input, baseUrl: null, temperature: null, maxTokens: null, repositoryId: null });
    const change = { id: made.id, temperature: 0, apiKeyEnv: null };
    const changed = await mutate(
      'updateAiConfiguration',
      change,
      `... on UpdateAiConfigurationSuccess { aiConfiguration { ${fields} } }`,
    );
    expect(changed.aiConfiguration).toMatchObject({ ...input, temperature: 0, apiKeyEnv: null });
    const list = '{ aiConfigurations(first: 100) { edges { node { id } } } }';
    expect(JSON.stringify(await read(list))).toContain(made.id);
    expect(await remove('deleteAiConfiguration', made.id)).toEqual({ __typename: 'DeleteAiConfigurationSuccess' });
    expect(JSON.stringify(await read(list))).not.toContain(made.id);
    const one = 'query ($id: UUID!) { aiConfiguration(id: $id) { id } }';
    expect(await read(one, { id: made.id })).toEqual({ aiConfiguration: null });
    expect(await remove('deleteAiConfiguration', made.id)).toMatchObject({ __typename: 'NotFound' });
  });

  test('are judged by the rules of project files', async () => {
    const input = {
      ...wanted(),
      apiKeyEnv: 'sk-secret',
      temperature: 3,
      baseUrl: 'https://user:pass@example.com/v1',
      price: { inptu: 1 },
    };
    const refused = await mutate('createAiConfiguration', input, '');
    expect(refused).toMatchObject({ __typename: 'InvalidDefinitions', code: 'INVALID_DEFINITIONS' });
    const paths = z
      .array(z.object({ path: z.string() }))
      .parse(refused.problems)
      .map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['api_key_env', 'temperature', 'base_url', 'price.inptu']));
    const name = { ...wanted(), name: 'constructor' };
    expect(await mutate('createAiConfiguration', name, '')).toMatchObject({ __typename: 'InvalidDefinitions' });
    const twice = wanted();
    await make('AiConfiguration', 'aiConfiguration', twice);
    expect(await mutate('createAiConfiguration', twice, '')).toMatchObject({
      problems: [{ code: 'duplicate', path: 'name' }],
    });
  });
});

const wordsType = (name: string) => ({
  name,
  description: 'Tests that say words',
  variablesSchema: {
    schemaVersion: '1.0',
    variables: [
      {
        name: 'Word',
        displayName: 'Word',
        dataType: 'string',
        valueSource: 'freeform',
        required: false,
        defaultValue: 'hello',
      },
      {
        name: 'Size',
        displayName: 'Size',
        dataType: 'number',
        valueSource: 'static',
        possibleValues: [{ value: 1, label: 'Small' }, { value: 2 }],
        required: false,
      },
      { name: 'Model', displayName: 'Model', dataType: 'string', valueSource: 'entity', required: false },
    ],
  },
});

describe('test types and presets', () => {
  test('S4-02 S4-39 a test type keeps its variables schema; S4-83 an entity variable may be any AI configuration of the tenant', async () => {
    const configuration = unique('model');
    await make('AiConfiguration', 'aiConfiguration', { name: configuration, provider: 'openai', model: 'm' });
    const input = wordsType(unique('words'));
    const made = await make(
      'TestType',
      'testType',
      input,
      'id name description variablesSchema variables { name dataType defaultValue possibleValues { value label } }',
    );
    expect(made).toMatchObject(input);
    expect(made.variables).toMatchObject([
      { name: 'Word', defaultValue: 'hello', possibleValues: null },
      {
        name: 'Size',
        possibleValues: [
          { value: 1, label: 'Small' },
          { value: 2, label: '2' },
        ],
      },
      { name: 'Model', possibleValues: expect.arrayContaining([{ value: configuration, label: configuration }]) },
    ]);
    const circle = {
      id: made.id,
      variablesSchema: {
        schemaVersion: '1.0',
        variables: [
          {
            name: 'A',
            displayName: 'A',
            dataType: 'number',
            valueSource: 'freeform',
            required: false,
            defaultValue: 'x',
          },
        ],
      },
    };
    expect(await mutate('updateTestType', circle, '')).toMatchObject({
      problems: [{ code: 'invalid_type', path: 'variables_schema.variables.0.defaultValue' }],
    });
    expect(await remove('deleteTestType', made.id)).toEqual({ __typename: 'DeleteTestTypeSuccess' });
  });

  test('S4-88 variables of a test type may depend on each other, but not in a circle', async () => {
    const dependent = (name: string, variable: string) => ({
      ...{ name, displayName: name, dataType: 'string', valueSource: 'freeform', required: false },
      dependsOn: { variable, allowed: { x: ['x'] } },
    });
    const schema = (...variables: unknown[]) => ({ variablesSchema: { schemaVersion: '1.0', variables } });
    const { dependsOn: _none, ...free } = dependent('A', 'B');
    await make('TestType', 'testType', { name: unique('chain'), ...schema(free, dependent('B', 'A')) });
    const circle = { name: unique('circle'), ...schema(dependent('A', 'B'), dependent('B', 'A')) };
    expect(await mutate('createTestType', circle, '')).toMatchObject({
      problems: expect.arrayContaining([
        expect.objectContaining({ path: expect.stringMatching(/^variables_schema\.variables\.\d\.dependsOn/) }),
      ]),
    });
    const nobody = { name: unique('nobody'), ...schema(free, dependent('B', 'Aa')) };
    expect(await mutate('createTestType', nobody, '')).toMatchObject({ problems: [{ code: 'unknown_variable' }] });
  });

  test('S4-44 a test type may have no variables at all', async () => {
    expect(await make('TestType', 'testType', { name: unique('bare') }, 'id variables { name }')).toMatchObject({
      variables: [],
    });
  });

  test('S4-89 a preset holds values that some test type has', async () => {
    const preset = await make(
      'Preset',
      'preset',
      { name: unique('fast'), values: { Temperature: 0, MaxTokens: 100 } },
      'id values',
    );
    expect(preset.values).toEqual({ Temperature: 0, MaxTokens: 100 });
    expect(await mutate('updatePreset', { id: preset.id, values: { Temprature: 0 } }, '')).toMatchObject({
      problems: [{ code: 'unknown_variable', path: 'Temprature' }],
    });
    const changed = await mutate(
      'updatePreset',
      { id: preset.id, values: { Temperature: 1 } },
      '... on UpdatePresetSuccess { preset { values } }',
    );
    expect(changed.preset).toEqual({ values: { Temperature: 1 } });
    expect(await remove('deletePreset', preset.id)).toEqual({ __typename: 'DeletePresetSuccess' });
  });
});

const scripted = { type: 'scripted', replies: [{ reply: 'We close at 17.' }] };

async function aSuite(more: Record<string, unknown> = {}, agent: Record<string, unknown> = {}) {
  const { id: agentId } = await make('Agent', 'agent', {
    name: unique('Agent'),
    instructions: 'Be kind.',
    driver: scripted,
    ...agent,
  });
  const suite = await make('Suite', 'suite', { agentId, name: unique('Suite'), ...more }, suiteFields);
  return { agentId, suiteId: suite.id, suite };
}

const suiteFields = `id name description path isEnabled scheduleType scheduleTime scheduleDayOfWeek alertOnRegression
  alertThresholdPercent variables testTypeName judge { name } agent { id name } createdBy createdAt updatedAt`;

const checks = { checks: [{ type: 'contains_phrases', phrases: ['17'] }] };
const aCase = (suiteId: string, more: Record<string, unknown> = {}) => ({
  suiteId,
  name: unique('case'),
  input: 'When do you close?',
  expectedBehavior: checks,
  ...more,
});

describe('suites', () => {
  test('S2-04 S2-05 S2-06 S2-07 S2-08 S2-10 S2-11 S2-13 S2-15 have the defaults of the seed, and schedule and alert rule when they are given', async () => {
    const { suite, agentId } = await aSuite();
    expect(suite).toMatchObject({
      description: null,
      path: null,
      isEnabled: true,
      scheduleType: 'manual',
      scheduleTime: null,
      scheduleDayOfWeek: null,
      alertOnRegression: true,
      alertThresholdPercent: 10,
      variables: {},
      testTypeName: 'agent-eval',
      judge: null,
      agent: { id: agentId },
      createdBy: 'bootstrap',
    });
    const weekly = { scheduleType: 'weekly', scheduleTime: '02:30', scheduleDayOfWeek: 0, alertThresholdPercent: 25 };
    const changed = await mutate(
      'updateSuite',
      { id: suite.id, ...weekly },
      `... on UpdateSuiteSuccess { suite { ${suiteFields} } }`,
    );
    expect(changed.suite).toMatchObject(weekly);
    const [row] = await running.rows(
      'select schedule_type, schedule_day_of_week, alert_threshold_percent from agent_test_suites where id = $1',
      [suite.id],
    );
    expect(row).toEqual({ schedule_type: 'weekly', schedule_day_of_week: 0, alert_threshold_percent: 25 });
    const back = await mutate(
      'updateSuite',
      { id: suite.id, scheduleType: null, scheduleTime: null, scheduleDayOfWeek: null, alertThresholdPercent: null },
      `... on UpdateSuiteSuccess { suite { ${suiteFields} } }`,
    );
    expect(back.suite).toMatchObject({
      scheduleType: 'manual',
      scheduleTime: null,
      scheduleDayOfWeek: null,
      alertThresholdPercent: 10,
    });
  });

  test.each([
    ['S2-06', { scheduleType: 'yearly' }, 'schedule_type', 'invalid_enum'],
    ['S2-07', { scheduleType: 'daily', scheduleTime: '24:00' }, 'schedule_time', 'invalid_format'],
    ['S2-08', { scheduleType: 'weekly', scheduleDayOfWeek: 7 }, 'schedule_day_of_week', 'out_of_range'],
    ['S2-08', { scheduleType: 'weekly' }, 'schedule_day_of_week', 'required'],
    ['S2-11', { alertThresholdPercent: 0 }, 'alert_threshold_percent', 'out_of_range'],
    ['S4-04', { variables: { Temprature: 0 } }, 'variables.Temprature', 'unknown_variable'],
    ['S4-04', { variables: { Temperature: 'cold' } }, 'variables.Temperature', 'invalid_type'],
    ['S2-09', { judge: { aiConfiguration: 'nobody' } }, 'judge.ai_configuration', 'not_found'],
    ['S4-87', { matrix: { Temperature: [0, 0] } }, 'matrix.Temperature.1', 'duplicate'],
    [
      'An inline model:',
      { evaluations: { model: { provider: 'openai', name: 'x' }, metrics: [{ metric: 'bleu' }] } },
      'evaluations',
      'forbidden_field',
    ],
  ])('%s %j is refused at its place', async (_row, wrong, path, code) => {
    const { agentId } = await aSuite();
    const refused = await mutate('createSuite', { agentId, name: unique('Wrong'), ...wrong }, '');
    expect(refused.problems).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test('S2-20 two suites of one agent have different names, S2-17 and a deleted one frees its name', async () => {
    const { agentId, suite } = await aSuite();
    const again = { agentId, name: suite.name };
    expect(await mutate('createSuite', again, '')).toMatchObject({ problems: [{ code: 'duplicate', path: 'name' }] });
    expect(await remove('deleteSuite', suite.id)).toEqual({ __typename: 'DeleteSuiteSuccess' });
    expect(await read('query ($id: UUID!) { suite(id: $id) { id } }', { id: suite.id })).toEqual({ suite: null });
    expect(
      await running.rows('select deleted_at is not null as hidden from agent_test_suites where id = $1', [suite.id]),
    ).toEqual([{ hidden: true }]);
    await make('Suite', 'suite', again);
    const other = await make('Suite', 'suite', { agentId, name: unique('Other') });
    expect(await mutate('updateSuite', { id: other.id, name: suite.name }, '')).toMatchObject({
      problems: [{ code: 'duplicate', path: 'name' }],
    });
  });

  test('S2-09 the judge of a suite is forgotten when its AI configuration is deleted, and the suite stays', async () => {
    const name = unique('judge');
    const configuration = await make('AiConfiguration', 'aiConfiguration', { name, provider: 'openai', model: 'm' });
    const { suite } = await aSuite({ judge: { aiConfiguration: name } });
    await make('TestCase', 'testCase', aCase(suite.id));
    expect(suite.judge).toEqual({ name });
    await remove('deleteAiConfiguration', configuration.id);
    const [row] = await running.rows(
      'select llm_judge_model_config_id as judge, deleted_at from agent_test_suites where id = $1',
      [suite.id],
    );
    expect(row).toEqual({ judge: null, deleted_at: null });
    expect(await read('query ($id: UUID!) { suite(id: $id) { judge { name } } }', { id: suite.id })).toEqual({
      suite: { judge: null },
    });
    expect(await mutate('startStoredRun', { idempotencyKey: randomUUID(), suiteId: suite.id }, '')).toMatchObject({
      code: 'INVALID_DEFINITIONS',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: 'judge.ai_configuration', code: 'not_found' }),
      ]),
    });
  });

  test('S2-16 S4-40 S4-41 S4-86 the values of a suite are changed by a mutation, unless that would break a case', async () => {
    const type = await make('TestType', 'testType', wordsType(unique('words')), 'id name');
    const { suite, suiteId } = await aSuite(
      { testType: type.name, variables: { Word: 'first' } },
      { instructions: 'Say {{Word}}.' },
    );
    await make(
      'TestCase',
      'testCase',
      aCase(suiteId, { input: 'Say {{Word}}', variables: { Size: { restrictedValues: [1] } } }),
    );
    const changed = await mutate(
      'updateSuite',
      { id: suiteId, variables: { Word: 'second', Size: 1 } },
      '... on UpdateSuiteSuccess { suite { variables updatedAt testType { name } } }',
    );
    expect(changed.suite).toMatchObject({ variables: { Word: 'second', Size: 1 }, testType: { name: type.name } });
    const Times = z.object({ updatedAt: z.string() });
    expect(Times.parse(changed.suite).updatedAt > Times.parse(suite).updatedAt).toBe(true);
    expect(await running.rows('select variables from agent_test_suites where id = $1', [suiteId])).toEqual([
      { variables: { Word: 'second', Size: 1 } },
    ]);
    const broken = await mutate('updateSuite', { id: suiteId, testType: null, variables: null }, '');
    expect(broken).toMatchObject({ __typename: 'InvalidDefinitions' });
    expect(JSON.stringify(broken.problems)).toContain('Word');
  });

  test('are listed page by page under their names, by agent and by switch', async () => {
    const { agentId, suite } = await aSuite({ name: 'b' });
    await make('Suite', 'suite', { agentId, name: 'a', isEnabled: false });
    await make('Suite', 'suite', { agentId, name: 'c' });
    const list = `query ($after: String, $filter: SuiteFilter) { suites(first: 2, after: $after, filter: $filter) { edges { node { name } } pageInfo { endCursor hasNextPage } } }`;
    const Page = z.object({
      suites: z.object({
        edges: z.array(z.object({ node: z.object({ name: z.string() }) })),
        pageInfo: z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
      }),
    });
    const first = Page.parse(await read(list, { filter: { agentId } })).suites;
    expect([first.edges.map(({ node }) => node.name), first.pageInfo.hasNextPage]).toEqual([['a', 'b'], true]);
    const second = Page.parse(await read(list, { filter: { agentId }, after: first.pageInfo.endCursor })).suites;
    expect(second.edges.map(({ node }) => node.name)).toEqual(['c']);
    const off = Page.parse(await read(list, { filter: { agentId, isEnabled: false } })).suites;
    expect(off.edges.map(({ node }) => node.name)).toEqual(['a']);
    expect(suite.name).toBe('b');
  });
});

describe('test cases', () => {
  const fields =
    'id name kind status isEnabled tags difficulty sortOrder input expectedBehavior variables createdAt updatedAt';

  test('S1-28 S1-29 S1-30 have id and times from the server, and a later time after each change', async () => {
    const { suiteId } = await aSuite();
    const made = await make('TestCase', 'testCase', aCase(suiteId), fields);
    const Times = z.object({ createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() });
    const before = Times.parse(made);
    const own = await running.ask(
      'mutation ($input: CreateTestCaseInput!) { createTestCase(input: $input) { __typename } }',
      {
        input: { ...aCase(suiteId), id: randomUUID() },
      },
    );
    expect(own.errors[0]?.message).toContain('"id"');
    let last = before.updatedAt;
    for (const tags of [['a'], ['b']]) {
      const changed = await mutate(
        'updateTestCase',
        { id: made.id, tags },
        `... on UpdateTestCaseSuccess { testCase { ${fields} } }`,
      );
      const times = Times.parse(changed.testCase);
      expect([times.createdAt, times.updatedAt > last]).toEqual([before.createdAt, true]);
      last = times.updatedAt;
    }
  });

  test('S2-21 S2-24 S2-27 S2-28 S1-44 keep what they were given, last in the suite unless they have a place', async () => {
    const { suiteId } = await aSuite();
    const first = await make(
      'TestCase',
      'testCase',
      aCase(suiteId, { name: 'first', tags: ['red-team', 'red-team'], difficulty: 'HARD' }),
      fields,
    );
    expect(first).toMatchObject({
      kind: 'single',
      status: 'ACTIVE',
      tags: ['red-team'],
      difficulty: 'HARD',
      sortOrder: 0,
    });
    expect(first.expectedBehavior).toEqual({
      mode: 'all',
      checks: [{ type: 'contains_phrases', phrases: ['17'], case_sensitive: false }],
    });
    await make('TestCase', 'testCase', aCase(suiteId, { name: 'last' }));
    await make(
      'TestCase',
      'testCase',
      aCase(suiteId, { name: 'between', sortOrder: 0, status: 'DRAFT', tags: ['special'] }),
    );
    const list = `query ($id: UUID!, $tag: String, $status: CaseStatus) { suite(id: $id) { testCases(tag: $tag, status: $status) { edges { node { name } } } } }`;
    const names = async (variables: object) => {
      const answer = await read(list, { id: suiteId, ...variables });
      return z
        .object({
          suite: z.object({
            testCases: z.object({ edges: z.array(z.object({ node: z.object({ name: z.string() }) })) }),
          }),
        })
        .parse(answer)
        .suite.testCases.edges.map(({ node }) => node.name);
    };
    expect(await names({})).toEqual(['first', 'between', 'last']);
    expect(await names({ status: 'DRAFT' })).toEqual(['between']);
    expect(await names({ tag: 'red-team' })).toEqual(['first']);
    const moved = await mutate(
      'updateTestCase',
      { id: first.id, sortOrder: 5, status: 'ARCHIVED', name: 'renamed' },
      `... on UpdateTestCaseSuccess { testCase { ${fields} } }`,
    );
    expect(moved.testCase).toMatchObject({ name: 'renamed', sortOrder: 5, status: 'ARCHIVED', tags: ['red-team'] });
    expect(await names({})).toEqual(['between', 'last', 'renamed']);
  });

  test.each([
    ['C20', { expectedBehavior: null }, '', 'required'],
    [
      'S2-32',
      { expectedBehavior: { checks: [{ type: 'contains' }] } },
      'expected_behavior.checks.0.type',
      'invalid_enum',
    ],
    [
      'S2-33',
      { expectedBehavior: { checks: [{ type: 'contains_phrases', phrases: [] }] } },
      'expected_behavior.checks.0.phrases',
      'too_short',
    ],
    [
      'S2-36',
      { expectedBehavior: { checks: [{ type: 'llm_judge', expectedAnswer: 'x' }] } },
      'expected_behavior.checks.0',
      'required',
    ],
    ['C02', { persona: { type: 'a', description: 'b', instructions: 'c' } }, 'input', 'exclusive'],
    ['S4-03', { variables: { Nothing: { locked: true } } }, 'variables.Nothing', 'unknown_variable'],
    ['S1-24', { maxTurns: 0 }, 'max_turns', 'out_of_range'],
  ])('%s %j is refused at its place', async (_row, wrong, path, code) => {
    const { suiteId } = await aSuite();
    const refused = await mutate('createTestCase', aCase(suiteId, wrong), '');
    expect(refused.problems).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test('C01 have a name of their own in the suite, also when two names only look different', async () => {
    const { suiteId } = await aSuite();
    await make('TestCase', 'testCase', aCase(suiteId, { name: 'Café' }));
    expect(await mutate('createTestCase', aCase(suiteId, { name: 'Cafe\u0301' }), '')).toMatchObject({
      problems: [{ code: 'duplicate', path: 'name' }],
    });
  });

  test('S2-31 are hidden when they are deleted, and their results stay readable', async () => {
    const { suiteId } = await aSuite();
    const testCase = await make('TestCase', 'testCase', aCase(suiteId));
    const started = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), testCaseId: testCase.id },
      '... on StartRunSuccess { run { id } }',
    );
    const { id: runId } = Row.parse(started.run);
    expect(await running.waitForEnd(runId)).toMatchObject({ status: 'completed', results: [{ status: 'passed' }] });
    expect(await remove('deleteTestCase', testCase.id)).toEqual({ __typename: 'DeleteTestCaseSuccess' });
    expect(await read('query ($id: UUID!) { testCase(id: $id) { id } }', { id: testCase.id })).toEqual({
      testCase: null,
    });
    const run = await read(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns { edges { node { status response } } } } } }',
      { id: runId },
    );
    expect(run).toEqual({
      run: { suiteRuns: [{ testRuns: { edges: [{ node: { status: 'PASSED', response: 'We close at 17.' } }] } }] },
    });
    expect(await mutate('startStoredRun', { idempotencyKey: randomUUID(), testCaseId: testCase.id }, '')).toMatchObject(
      { __typename: 'NotFound' },
    );
  });

  test('S4-38 S4-82 a stored run is started with typed values over GraphQL, judged beforehand (S4-84) and repeated with rerunOf', async () => {
    const { suiteId } = await aSuite();
    await make('TestCase', 'testCase', aCase(suiteId));
    const values = { suiteId, variables: { Temperature: '0.5' } };
    const judged = await read(
      'query ($input: StoredValuesInput!) { validateVariables(input: $input) { valid problems { code path } } }',
      { input: values },
    );
    expect(judged).toEqual({
      validateVariables: { valid: false, problems: [{ code: 'invalid_type', path: 'variables.Temperature' }] },
    });
    const wrong = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), ...values },
      '... on InvalidInput { inputProblems: problems { code path hint } }',
    );
    expect(wrong).toMatchObject({
      code: 'INVALID_INPUT',
      inputProblems: [{ code: 'invalid_type', path: 'variables.Temperature', hint: null }],
    });

    const start = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), suiteId, variables: { Temperature: 0.5 } },
      '... on StartRunSuccess { run { id rerunOf } }',
    );
    const old = Row.parse(start.run);
    expect(old.rerunOf).toBeNull();
    await running.waitForEnd(old.id);
    await mutate('updateSuite', { id: suiteId, variables: { Temperature: 0.1 } }, '');
    const again = await mutate(
      'rerunRun',
      { idempotencyKey: randomUUID(), runId: old.id },
      '... on StartRunSuccess { run { id rerunOf } }',
    );
    const repeated = Row.parse(again.run);
    expect(repeated.rerunOf).toBe(old.id);
    await running.waitForEnd(repeated.id);
    const resolved =
      'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns { edges { node { status resolvedVariables { values sources } } } } } } }';
    const first = await read(resolved, { id: old.id });
    expect(JSON.stringify(first)).toContain('"Temperature":0.5');
    expect(await read(resolved, { id: repeated.id })).toEqual(first);
  });
});

describe('agents', () => {
  test('are changed with what runs use from then on, and deleted with their suites', async () => {
    const { agentId, suiteId } = await aSuite();
    const changed = await mutate(
      'updateAgent',
      { id: agentId, instructions: 'Be short.', driver: { type: 'scripted', replies: [{ reply: 'At 18.' }] } },
      '... on UpdateAgentSuccess { agent { name instructions definition } }',
    );
    expect(changed.agent).toMatchObject({ instructions: 'Be short.' });
    const testCase = await make('TestCase', 'testCase', aCase(suiteId));
    const started = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), testCaseId: testCase.id },
      '... on StartRunSuccess { run { id } }',
    );
    expect((await running.waitForEnd(Row.parse(started.run).id)).results).toMatchObject([{ status: 'failed' }]);
    expect(
      await mutate('updateAgent', { id: agentId, instructions: 'Say {{Wrod}}', driver: { type: 'teleport' } }, ''),
    ).toMatchObject({ __typename: 'InvalidDefinitions' });
    expect(await remove('deleteAgent', agentId)).toEqual({ __typename: 'DeleteAgentSuccess' });
    expect(
      await read(
        'query ($a: UUID!, $s: UUID!, $c: UUID!) { agent(id: $a) { id } suite(id: $s) { id } testCase(id: $c) { id } }',
        { a: agentId, s: suiteId, c: testCase.id },
      ),
    ).toEqual({ agent: null, suite: null, testCase: null });
  });
});

test('S1-17 the pre-seeded tags are offered beside those in use', async () => {
  const { suiteId } = await aSuite();
  const tag = unique('aaa');
  await make('TestCase', 'testCase', aCase(suiteId, { tags: [tag, 'edge-case'] }));
  const answer = await read('{ tags(first: 100) { edges { node { name isPreseeded testCases } } } }');
  const tags = z
    .object({
      tags: z.object({
        edges: z.array(
          z.object({ node: z.object({ name: z.string(), isPreseeded: z.boolean(), testCases: z.number() }) }),
        ),
      }),
    })
    .parse(answer)
    .tags.edges.map(({ node }) => node);
  expect(tags.filter(({ isPreseeded }) => isPreseeded).map(({ name }) => name)).toEqual([
    'edge-case',
    'normal',
    'red-team',
  ]);
  expect(tags).toContainEqual({ name: tag, isPreseeded: false, testCases: 1 });
  expect(tags.map(({ name }) => name)).toEqual(tags.map(({ name }) => name).toSorted());
});
