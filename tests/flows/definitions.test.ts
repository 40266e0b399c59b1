import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aCase, definitionsOf, Row, unique } from './make-definitions.ts';
import { type RunningProduct, startRunningProduct } from './running-product.ts';
import { wordsType } from './words-type.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const { mutate, remove, make, read, aSuite } = definitionsOf(() => running);

describe('AI configurations', () => {
  const wanted = () => ({
    name: unique('gpt'),
    provider: 'openai',
    model: 'gpt-4o',
    apiKeyEnv: 'OPENAI_API_KEY',
    price: { input: 2.5, output: 10 },
    limits: { requests_per_minute: 500, burst: 4 },
    extraBody: { top_p: 0.9, thinking: { budget_tokens: 1024, nothing: null } },
  });
  const fields =
    'id name provider model baseUrl apiKeyEnv temperature maxTokens stream price limits extraBody repositoryId createdAt updatedAt';

  test('S2-80 are made, changed, listed and deleted without SQL, and hold the name of a variable instead of a key', async () => {
    const input = wanted();
    const made = await make('AiConfiguration', 'aiConfiguration', input, fields);
    expect(made).toMatchObject({ ...input, baseUrl: null, temperature: null, maxTokens: null, stream: false });
    expect(made.repositoryId).toBeNull();
    const change = { id: made.id, temperature: 0, apiKeyEnv: null, stream: true };
    const changed = await mutate(
      'updateAiConfiguration',
      change,
      `... on UpdateAiConfigurationSuccess { aiConfiguration { ${fields} } }`,
    );
    expect(changed.aiConfiguration).toMatchObject({ ...input, temperature: 0, apiKeyEnv: null, stream: true });
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
      limits: { requests_per_minute: 0 },
    };
    const refused = await mutate('createAiConfiguration', input, '');
    expect(refused).toMatchObject({ __typename: 'InvalidDefinitions', code: 'INVALID_DEFINITIONS' });
    const paths = z
      .array(z.object({ path: z.string() }))
      .parse(refused.problems)
      .map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['api_key_env', 'temperature', 'base_url', 'price.inptu', 'limits.requests_per_minute']),
    );
    const name = { ...wanted(), name: 'constructor' };
    expect(await mutate('createAiConfiguration', name, '')).toMatchObject({ __typename: 'InvalidDefinitions' });
    const twice = wanted();
    await make('AiConfiguration', 'aiConfiguration', twice);
    expect(await mutate('createAiConfiguration', twice, '')).toMatchObject({
      problems: [{ code: 'duplicate', path: 'name' }],
    });
  });
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
