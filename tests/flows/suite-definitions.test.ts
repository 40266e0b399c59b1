import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aCase, definitionsOf, suiteFields, unique } from './make-definitions.ts';
import { type RunningProduct, startRunningProduct } from './running-product.ts';
import { wordsType } from './words-type.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const { mutate, remove, make, read, aSuite } = definitionsOf(() => running);

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
