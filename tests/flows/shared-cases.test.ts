import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
let agentId: string;
beforeAll(async () => {
  running = await startRunningProduct();
  agentId = await make('Agent', 'agent', {
    name: 'Desk',
    instructions: 'Be kind.',
    driver: { type: 'scripted', replies: [{ reply: 'ok' }] },
  });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const Answer = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Sends one mutation with an input, and returns its result. */
async function mutate(name: string, input: Record<string, unknown>, fields = '') {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const failure =
    '__typename ... on UserError { message } ... on InvalidDefinitions { problems { path code message } }';
  const text = `mutation ($input: ${type}Input!) { result: ${name}(input: $input) { ${failure} ${fields && `... on ${type}Success { ${fields} }`} } }`;
  const { data, errors } = await running.ask(text, { input });
  expect(errors).toEqual([]);
  return Answer.parse(data).result;
}

async function make(kind: string, field: string, input: Record<string, unknown>): Promise<string> {
  const made = z.object({ [field]: z.object({ id: z.string() }) });
  const row = made.parse(await mutate(`create${kind}`, input, `${field} { id }`))[field];
  return row?.id ?? '';
}

const aSuite = (name: string, more: Record<string, unknown> = {}) => make('Suite', 'suite', { agentId, name, ...more });
const checks = { checks: [{ type: 'contains_phrases', phrases: ['ok'] }] };
const aCase = (suiteId: string, name: string, more: Record<string, unknown> = {}) =>
  make('TestCase', 'testCase', { suiteId, name, input: 'Hello', expectedBehavior: checks, ...more });

const casesOf =
  'caseCount testCases(first: 10) { edges { node { name suiteId sortOrder includedIn { suiteName sortOrder } } } }';
async function suiteNow(id: string) {
  const { data, errors } = await running.ask(`query ($id: UUID!) { suite(id: $id) { ${casesOf} } }`, { id });
  expect(errors).toEqual([]);
  return data?.suite;
}

test('a suite includes a case of another, which runs in both, each with its own values, under one id (C43, S4-29)', async () => {
  const homeId = await aSuite('Home', { variables: { Temperature: 0 } });
  const otherId = await aSuite('Other', { variables: { Temperature: 1 } });
  const shared = await aCase(homeId, 'Shared');
  await aCase(otherId, 'Own');
  const included = await mutate('includeTestCase', { suiteId: otherId, testCaseId: shared }, `suite { ${casesOf} }`);
  expect(included?.suite).toEqual({
    caseCount: 2,
    testCases: {
      edges: [
        { node: { name: 'Own', suiteId: otherId, sortOrder: 0, includedIn: [] } },
        {
          node: {
            name: 'Shared',
            suiteId: homeId,
            sortOrder: 1,
            includedIn: [{ suiteName: 'Other', sortOrder: 1 }],
          },
        },
      ],
    },
  });

  for (const suiteId of [homeId, otherId]) {
    const started = await mutate('startStoredRun', { idempotencyKey: suiteId, suiteId });
    expect(started?.__typename).toBe('StartRunSuccess');
  }
  const results = () =>
    running.rows(
      `select s.suite_name as suite, c.test_case_id as id, c.status, c.resolved_variables -> 'values' ->> 'Temperature' as temperature
       from test_case_results c join test_suite_runs s on s.id = c.run_id where c.case_name = 'Shared' order by 1`,
    );
  await expect.poll(results).toEqual([
    { suite: 'Home', id: shared, status: 'passed', temperature: '0' },
    { suite: 'Other', id: shared, status: 'passed', temperature: '1' },
  ]);

  const excluded = await mutate('excludeTestCase', { suiteId: otherId, testCaseId: shared }, 'suite { caseCount }');
  expect(excluded?.suite).toEqual({ caseCount: 1 });
  expect(await suiteNow(homeId)).toMatchObject({ caseCount: 1 });
});

test('a case that is shaky only in a suite that includes it is told as such (C43)', async () => {
  const homeId = await aSuite('Steady');
  const otherId = await aSuite('Shaky');
  const shared = await aCase(homeId, 'Dice');
  await mutate('includeTestCase', { suiteId: otherId, testCaseId: shared });
  for (const suiteId of [homeId, otherId]) await mutate('startStoredRun', { idempotencyKey: suiteId, suiteId });
  const summaries = () => running.rows('select 1 from case_summaries where test_case_id = $1', [shared]);
  await expect.poll(summaries).toHaveLength(2);
  await running.rows(
    `update case_summaries set is_base = true, is_history = true,
       outcomes = case when suite_id = $2 then 'pppppppppppp' else 'pfpfpfpfpfpf' end where test_case_id = $1`,
    [shared, homeId],
  );
  const { data } = await running.ask('{ flakyCases { caseName suiteName passed scored } }');
  expect(data?.flakyCases).toEqual([{ caseName: 'Dice', suiteName: 'Shaky', passed: 6, scored: 12 }]);
});

test('a case is not included twice under one name, in its own home, or where its variables make no sense (C43)', async () => {
  const homeId = await aSuite('House');
  const otherId = await aSuite('Guest house');
  const shared = await aCase(homeId, 'Tea');
  const namesake = await aCase(otherId, 'Tea');
  const including = { suiteId: otherId, testCaseId: shared };
  expect(await mutate('includeTestCase', including)).toMatchObject({
    problems: [{ path: 'name', code: 'duplicate', message: expect.stringContaining("'Tea'") }],
  });
  expect(await mutate('includeTestCase', { ...including, suiteId: homeId })).toMatchObject({
    problems: [{ path: 'testCaseId', code: 'exclusive' }],
  });
  expect(await mutate('excludeTestCase', { suiteId: homeId, testCaseId: shared })).toMatchObject({
    problems: [{ message: expect.stringContaining('deleteTestCase') }],
  });
  expect(await mutate('excludeTestCase', including)).toMatchObject({ __typename: 'NotFound' });
  await mutate('updateTestCase', { id: namesake, name: 'Coffee' });
  expect(await mutate('includeTestCase', including)).toMatchObject({ __typename: 'IncludeTestCaseSuccess' });
  expect(await mutate('updateTestCase', { id: shared, name: 'Coffee' })).toMatchObject({
    problems: [{ path: 'name', code: 'duplicate', message: expect.stringContaining('Guest house') }],
  });
  expect(
    await mutate('createTestCase', { suiteId: otherId, name: 'Tea', input: 'x', expectedBehavior: checks }),
  ).toMatchObject({ problems: [{ code: 'duplicate' }] });

  const variable = { name: 'Word', displayName: 'Word', dataType: 'string', valueSource: 'freeform', required: false };
  await make('TestType', 'testType', {
    name: 'words',
    variablesSchema: { schemaVersion: '1.0', variables: [variable] },
  });
  const wordsId = await aSuite('Words', { testType: 'words' });
  const hot = await aCase(homeId, 'Hot', { variables: { Temperature: { defaultValue: 1 } } });
  expect(await mutate('includeTestCase', { suiteId: wordsId, testCaseId: hot })).toMatchObject({
    problems: [{ path: 'variables.Temperature', code: 'unknown_variable' }],
  });
});

test('a case outlives the suite that was its home: the one that includes it takes it in (C43)', async () => {
  const homeId = await aSuite('Old home');
  const heirId = await aSuite('Heir');
  const shared = await aCase(homeId, 'Heirloom');
  const lost = await aCase(homeId, 'Lost');
  await mutate('includeTestCase', { suiteId: heirId, testCaseId: shared, sortOrder: 7 });
  await running.ask('mutation ($id: UUID!) { deleteSuite(id: $id) { __typename } }', { id: homeId });
  expect(await suiteNow(heirId)).toEqual({
    caseCount: 1,
    testCases: { edges: [{ node: { name: 'Heirloom', suiteId: heirId, sortOrder: 7, includedIn: [] } }] },
  });
  const { data } = await running.ask('query ($id: UUID!) { testCase(id: $id) { id } }', { id: lost });
  expect(data).toEqual({ testCase: null });
});
