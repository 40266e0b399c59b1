import { beforeAll, expect, it } from 'vitest';
import type { Ledger } from '../../database/open-ledger.fixture.ts';
import { judgedRuns, sha } from '../../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../../story.fixture.ts';
import { readJudgedCases } from './judged-cases.ts';

let ledger: Ledger;
let tenant: Tenant;
let id: string;

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  await judgedRuns(ledger, tenant).baseRun(sha('a'), suiteFile({ name: 'Hours', cases: 3 }), () => true);
  const [row] = await ledger.query<{ id: string }>('select id from test_suite_runs where tenant_id = $1', [tenant.id]);
  id = given(row).id;
});

const read = async (of: Tenant = tenant) => (await readJudgedCases(ledger.database, of.id, [id]))[0];
const namesIn = (judged: Awaited<ReturnType<typeof read>>) => judged?.cases.map(({ caseName }) => caseName);

/** A verdict on so many cases, the last of which broke. */
const store = (cases: number) =>
  ledger.query(
    `update test_suite_runs set verdict_detail = jsonb_build_object('flagged', jsonb_build_array('case ' || $2::int), 'cases',
       (select jsonb_agg(jsonb_build_object('caseName', 'case ' || n, 'p', null) order by n) from generate_series(1, $2::int) n))
     where id = $1`,
    [id, cases],
  );

it('the cases of a verdict are read once for all of its pages, and anew when it has changed', async () => {
  const first = given(await read());
  expect(namesIn(first)).toEqual(['case 1', 'case 2', 'case 3']);
  expect((await read())?.cases).toBe(first.cases);
  await store(3);
  expect(namesIn(await read())).toEqual(['case 3', 'case 1', 'case 2']);
  await ledger.query('update test_suite_runs set verdict_detail = null where id = $1', [id]);
  expect(await read()).toMatchObject({ cases: [], flagged: [] });
});

it('a verdict on more cases than are remembered is read each time', async () => {
  await store(20_001);
  const first = given(await read());
  expect(first.cases).toHaveLength(20_001);
  expect(first.cases[0]?.caseName).toBe('case 20001');
  expect((await read())?.cases).not.toBe(first.cases);
});

it('a verdict that grows takes its own place, and what has no cases takes none', async () => {
  for (const cases of [8_000, 9_000, 10_000, 11_000]) {
    await store(cases);
    const first = given(await read());
    expect(first.cases).toHaveLength(cases);
    expect((await read())?.cases).toBe(first.cases);
  }
  await ledger.query('update test_suite_runs set verdict_detail = null where id = $1', [id]);
  const none = given(await read());
  expect(none.cases).toEqual([]);
  expect((await read())?.cases).not.toBe(none.cases);
});

it('what is remembered of a tenant is told to no other one', async () => {
  await store(3);
  expect((await read())?.cases).toHaveLength(3);
  expect(await read(await newTenant(ledger))).toBeUndefined();
});
