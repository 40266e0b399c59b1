import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../stack/wait-until.ts';
import { modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct({
    coordinatorEnv: { TEST_SUITES_RETENTION_DAYS: '45', TEST_SUITES_RETENTION_RUNS: 'abc' },
  });
});
afterAll(() => running[Symbol.asyncDispose]());

const settingsText = '{ settings { key value source warning } }';
const updateText = `mutation Update($input: UpdateSettingInput!) {
  updateSetting(input: $input) {
    __typename
    ... on UpdateSettingSuccess { setting { key value source } }
    ... on InvalidInput { problems { path message } }
  }
}`;
const update = async (key: string, value: string | null, token?: string) =>
  await running.ask(updateText, { input: { key, value } }, token);

test('settings say which value counts and where it comes from (S2-97, S2-99, S2-100, S2-101, S2-103, S2-104, C49)', async () => {
  const read = async () => (await running.ask(settingsText)).data?.settings;
  expect(await read()).toEqual([
    { key: 'test_suites.retention_cleanup_time', value: '02:00', source: 'DEFAULT', warning: null },
    { key: 'test_suites.retention_days', value: '45', source: 'ENVIRONMENT', warning: null },
    {
      ...{ key: 'test_suites.retention_runs', value: '30', source: 'DEFAULT' },
      warning: 'TEST_SUITES_RETENTION_RUNS is "abc": must be a whole number from 1 to 1000000. 30 counts instead',
    },
  ]);
  expect((await update('test_suites.retention_days', '60')).data?.updateSetting).toEqual({
    __typename: 'UpdateSettingSuccess',
    setting: { key: 'test_suites.retention_days', value: '60', source: 'STORED' },
  });
  expect((await update('test_suites.retention_days', null)).data?.updateSetting).toMatchObject({
    setting: { value: '45', source: 'ENVIRONMENT' },
  });
});

test('a setting is not stored when it makes no sense, or by a token without the scope admin (S2-104)', async () => {
  for (const [key, value] of [
    ['test_suites.retention_days', '0'],
    ['test_suites.retention_cleanup_time', '2 am'],
    ['test_suites.retention_runs', '-1'],
    ['test_suites.unknown', '1'],
  ] as const) {
    expect((await update(key, value)).data?.updateSetting).toMatchObject({ __typename: 'InvalidInput' });
  }
  const made = await running.ask(`mutation { createApiToken(input: { name: "ci", scopes: [RUNS_WRITE, RUNS_READ] }) {
    ... on CreateApiTokenSuccess { token } } }`);
  const { token } = z.object({ token: z.string() }).parse(made.data?.createApiToken);
  const refused = await update('test_suites.retention_days', '1', token);
  expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await running.rows('select key from system_settings')).toEqual([]);
});

test(
  'of several replicas one removes what is old and one starts what is due (S2-94, S2-96, S2-105, S2-108)',
  patient,
  async () => {
    const suite = modelSuite();
    const files = suite.files.map(({ path, text }) => ({
      path,
      text: text.replace('cases:', 'schedule_type: hourly\ncases:'),
    }));
    const old = await running.start({ ...suite, files });
    await running.waitForEnd(old);
    const recent = await running.start({ ...suite, files });
    await running.waitForEnd(recent);
    await update('test_suites.retention_runs', '1');
    for (const table of ['runs', 'test_suite_runs']) {
      const id = table === 'runs' ? 'id' : 'run_id';
      await running.rows(
        `update ${table} set created_at = now() - interval '90 days', completed_at = now() - interval '90 days' where ${id} = $1`,
        [old],
      );
    }
    // From here on both are due: the first removal ever, and the hour that has begun.
    await running.rows(
      `update agent_test_suites set created_at = now() - interval '1 day', updated_at = now() - interval '1 day'`,
    );
    await running.rows(`update tenants set created_at = now() - interval '2 days'`);
    const others = await Promise.all([running.addCoordinator(), running.addCoordinator()]);

    const log = () => [running.product.coordinator, ...others].map((replica) => replica.log()).join('\n');
    const isGone = async () => (await running.rows('select 1 from runs where id = $1', [old])).length === 0;
    await waitUntil(isGone, { what: 'the old run is gone', detail: log });
    const findScheduled = async () => {
      const [run] = await running.rows<{ id: string }>(`select id from runs where triggered_by = 'schedule'`);
      return run?.id;
    };
    const scheduled = await waitUntil(findScheduled, { what: 'the suite was started', detail: log });
    expect(await running.waitForEnd(scheduled)).toMatchObject({ status: 'completed', results: [{ status: 'passed' }] });

    const count = (text: string) => log().split(text).length - 1;
    const removed = 'Old suite runs were removed';
    // It is told after it is done.
    await waitUntil(() => count(removed) > 0, { what: 'the removal is in a log', detail: log });
    expect(count(removed)).toBe(1);
    expect(count('A suite was started by its schedule')).toBe(1);
    const left = await running.rows<{ id: string }>('select id from runs order by created_at');
    expect(left.map(({ id }) => id)).toEqual([recent, scheduled]);
  },
);
