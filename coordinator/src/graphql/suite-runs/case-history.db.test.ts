import { Gate } from '@proofmark/contracts/gate';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { inTenant } from '../../database/transactions.ts';
import { historyQuery, windowsQuery } from '../../judging/case-history.ts';
import { judgedRuns, sha } from '../../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile } from '../../story.fixture.ts';
import { caseHistoryQuery, flakyWindowsQuery, readFlakyCases } from './case-history.ts';
import { passRatesQuery } from './pass-rate-history.ts';

const ledger = await ownLedger();
const tenant = await newTenant(ledger);
let queries: Record<string, Pick<ReturnType<typeof windowsQuery>, 'compile'>>;
const sizes = { few: 200, many: 10_000 };
const blocks: Record<keyof typeof sizes, Record<string, number>> = { few: {}, many: {} };
const plans: Record<string, string> = {};

interface Seed {
  runId: string;
  suiteRunId: string;
}

/** Copies a judged run of the base branch so often, two minutes apart, with ends that follow from the number of the copy. */
async function multiply({ runId, suiteRunId }: Seed, from: number, to: number): Promise<void> {
  const copies = `(select n, gen_random_uuid() as run, gen_random_uuid() as suite_run from generate_series(${from}, ${to}) n)`;
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  // Foreign keys hold by construction; checking them with plans for small tables would take minutes.
  await client.query('set session_replication_role = replica');
  await client.query(`create temporary table copies as select * from ${copies} c`);
  const at = `to_jsonb(now() - c.n * interval '2 minutes')`;
  const insert = (table: string, from_: string, changes: string) =>
    client.query(
      `insert into ${table} select p.* from ${from_} cross join copies c
       cross join lateral jsonb_populate_record(null::${table}, to_jsonb(o) || ${changes}) p`,
    );
  await insert(
    'runs',
    `(select * from runs where id = '${runId}') o`,
    `jsonb_build_object('id', c.run, 'idempotency_key', 'copy ' || c.n, 'created_at', ${at})`,
  );
  await insert(
    'test_suite_runs',
    `(select * from test_suite_runs where id = '${suiteRunId}') o`,
    `jsonb_build_object('id', c.suite_run, 'run_id', c.run, 'created_at', ${at}, 'completed_at', ${at})`,
  );
  await insert(
    'case_summaries',
    `(select * from case_summaries where suite_run_id = '${suiteRunId}') o`,
    `jsonb_build_object('id', gen_random_uuid(), 'suite_run_id', c.suite_run, 'ended_at', ${at},
       'outcomes', case when o.case_name = 'case 1' and c.n % 3 = 0 then 'fpf' else 'ppp' end)`,
  );
  await client.query('vacuum analyze runs, test_suite_runs, case_summaries, test_cases, test_case_results');
  await client.end();
}

const Node = z.looseObject({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() });
const Explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.looseObject({ Plan: Node })]) })]);

async function measure(size: keyof typeof sizes): Promise<void> {
  for (const [name, query] of Object.entries(queries)) {
    const { rows } = await inTenant(ledger.database, tenant.id, (em) => {
      const kysely = em.getKysely();
      const compiled = query.compile(kysely);
      return kysely.executeQuery({ ...compiled, sql: `explain (analyze, buffers, format json) ${compiled.sql}` });
    });
    const [{ 'QUERY PLAN': plan }] = Explained.parse(rows);
    blocks[size][name] = plan[0].Plan['Shared Hit Blocks'] + plan[0].Plan['Shared Read Blocks'];
    plans[name] = JSON.stringify(plan);
  }
}

beforeAll(async () => {
  await newRepository(ledger, tenant, null);
  const runs = judgedRuns(ledger, tenant);
  const runId = await runs.baseRun(sha('1'), suiteFile({ name: 'Large', cases: 3, repetitions: 3 }));
  const [row] = await ledger.query<{ id: string; suite: string; setting: string; agent: string }>(
    'select id, suite_id as suite, setting_key as setting, agent_hash as agent from test_suite_runs where run_id = $1',
    [runId],
  );
  const suiteRun = given(row);
  const [testCase] = await ledger.query<{ id: string }>(
    `update test_cases set flakiness = 0.5 where name = 'case 1' and tenant_id = $1 returning id`,
    [tenant.id],
  );
  const { id, suite: suiteId, setting: settingKey, agent: agentHash } = suiteRun;
  const of = { tenantId: tenant.id, id, suiteId, cellKey: '', settingKey };
  const settings = {
    gate: Gate.parse({}),
    alertOnRegression: true,
    alertThresholdPercent: 10,
    onError: 'block' as const,
  };
  const shown = { cellKey: '', onlyBase: true, size: 50 };
  queries = {
    passRateHistory: passRatesQuery({ suiteId, ...shown }),
    passRatesOfAllCells: passRatesQuery({ suiteId, ...shown, cellKey: null }),
    caseHistory: caseHistoryQuery({ repositoryId: null, testCaseId: given(testCase).id, ...shown }),
    flakyCases: flakyWindowsQuery({ repositoryId: null, suiteId }),
    windows: windowsQuery(of),
    history: historyQuery({ suiteRun: { ...of, settings }, agentHash, without: [] }),
  };
  const seed = { runId, suiteRunId: id };
  await multiply(seed, 1, sizes.few);
  await measure('few');
  await multiply(seed, sizes.few + 1, sizes.many);
  await measure('many');
});

it.each(['passRateHistory', 'passRatesOfAllCells', 'caseHistory', 'flakyCases', 'windows', 'history'])(
  'D 6: %s reads no more of ten thousand stored runs than of two hundred',
  (name) => {
    const [few, many] = [given(blocks.few[name]), given(blocks.many[name])];
    // Fifty times the runs. What is read may grow with the depth of an index, and up to the bound of a case.
    expect(many).toBeLessThan(few * 6);
  },
);

it.each([
  // There is one suite here: by its index or by the time comes to the same.
  ['passRateHistory', 'test_suite_runs_(history|created_at|curve)_idx'],
  ['passRatesOfAllCells', 'test_suite_runs_(created_at|curve)_idx'],
  ['caseHistory', 'case_summaries_test_case_idx'],
  ['flakyCases', 'case_summaries_test_case_idx'],
  ['windows', 'case_summaries_history_idx'],
  ['history', 'case_summaries_history_idx'],
])('%s goes by its index and scans no table of runs', (name, index) => {
  expect(plans[name]).toMatch(new RegExp(`"Index Name":"${index}"`));
  expect(plans[name]).not.toMatch(/"Seq Scan"[^{}]*"Relation Name":"(case_summaries|test_suite_runs|runs)"/);
});

it('the newest twenty trials say how flaky a case is, whatever came before', async () => {
  const question = { tenantId: tenant.id, repositoryId: null, suiteId: null, size: 10 };
  const [flaky, ...others] = await readFlakyCases(ledger.database, question);
  expect(others).toEqual([]);
  expect(flaky).toMatchObject({ caseName: 'case 1', scored: 20 });
});
