import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type Ledger, openLedger } from '../../database/open-ledger.fixture.ts';
import { asWorker } from '../../database/transactions.ts';
import { pooledTrials, readTrials } from '../../judging/collect-trials.ts';
import { judgedRuns, pull, sha } from '../../judging/judged-runs.fixture.ts';
import { readSuiteRun } from '../../judging/read-suite-run.ts';
import { given, newRepository, newTenant, rowsRead, suiteFile, type Tenant } from '../../story.fixture.ts';
import { asker } from '../ask.fixture.ts';
import { readReportedRows } from './suite-run-report.ts';

const copies = 100;
const results = 120 * (copies + 1);

interface Filled {
  ledger: Ledger;
  tenant: Tenant;
  suiteRunId: string;
  /** Of the next run of the same pull request. */
  nextId: string;
}

/** A suite run of thousands of results, in tables about which nothing is known, or only what was so before the run. */
async function fill(ledger: Ledger, analyzed: 'never' | 'before the run'): Promise<Filled> {
  const tables = ['test_case_results', 'planned_test_runs', 'work_contents', 'test_cases'];
  for (const table of tables) await ledger.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  const text = suiteFile({ name: 'Large', cases: 40, repetitions: 3 });
  const start = async (commit: string): Promise<string> => {
    const runId = await runs.start({ trigger: { ...pull(7), headSha: commit }, text });
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    return runId;
  };
  if (analyzed === 'before the run') {
    await start(sha('a'));
    await ledger.query('analyze');
  }
  const runId = await start(sha('b'));
  const [row] = await ledger.query<{ id: string }>(
    'update test_suite_runs set total_cases = $2, passed_cases = $2 where run_id = $1 returning id',
    [runId, results],
  );
  const suiteRunId = given(row).id;
  for (const { table, id, of } of [
    { table: 'planned_test_runs', id: 'test_run_id', of: 'suite_run_id' },
    { table: 'test_case_results', id: 'id', of: 'run_id' },
  ])
    await ledger.query(
      `insert into ${table} select p.* from (select * from ${table} where ${of} = $1) o cross join generate_series(1, $2::int) n
       cross join lateral jsonb_populate_record(null::${table}, to_jsonb(o) || jsonb_build_object(
         '${id}', md5(o.${id}::text || n)::uuid, 'repetition', o.repetition + 3 * n)) p`,
      [suiteRunId, copies],
    );
  const [next] = await ledger.query<{ id: string }>('select id from test_suite_runs where run_id = $1', [
    await start(sha('c')),
  ]);
  // As if somebody had changed what it asks, so that it counts for itself.
  await ledger.query('update test_suite_runs set taken_from = null');
  return { ledger, tenant, suiteRunId, nextId: given(next).id };
}

const Page = z.object({
  suiteRun: z.object({
    testRuns: z.object({ edges: z.array(z.unknown()), pageInfo: z.object({ endCursor: z.string() }) }),
  }),
});

/** Each reads results page by page, and says how many. */
const readers: Record<string, (of: Filled) => Promise<number>> = {
  'a file of results': async ({ ledger, tenant, suiteRunId }) => {
    let read = 0;
    for await (const _row of readReportedRows(ledger.database, tenant.id, [{ id: suiteRunId, planned: results }]))
      read += 1;
    return read;
  },
  'a verdict': async ({ ledger, tenant, suiteRunId: id }) => {
    const suiteRun = { id, settingKey: '', clusters: null, planned: results };
    return given((await readTrials(ledger.database, tenant.id, [suiteRun])).get(id)).length;
  },
  'evidence of earlier runs': async ({ ledger, tenant, nextId: id }) =>
    await asWorker(ledger.database, async (em) => {
      const suiteRun = await readSuiteRun(em, { tenantId: tenant.id, id });
      return suiteRun === null ? 0 : (await pooledTrials(em, suiteRun)).trials.length;
    }),
  'pages of the API': async ({ ledger, tenant, suiteRunId }) => {
    const ask = asker(ledger);
    let [read, after] = [0, ''];
    for (let page = 0; page < 10; page += 1) {
      const { data, errors } = await ask(
        tenant.caller,
        `{ suiteRun(id: "${suiteRunId}") { testRuns(first: 100${after}) { edges { node { id } } pageInfo { endCursor } } } }`,
      );
      expect(errors).toEqual([]);
      const { edges, pageInfo } = Page.parse(data).suiteRun.testRuns;
      read += edges.length;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    return read;
  },
};

it.each(['never', 'before the run'] as const)(
  'whoever reads results page by page reads each once or twice, where tables were analyzed %s',
  async (analyzed) => {
    await using ledger = await openLedger(inject('postgresUrl'), 1);
    const filled = await fill(ledger, analyzed);
    for (const [name, readAll] of Object.entries(readers)) {
      const before = await rowsRead(ledger, ['test_case_results']);
      const read = await readAll(filled);
      expect(read, name).toBeGreaterThanOrEqual(1_000);
      const share = ((await rowsRead(ledger, ['test_case_results'])) - before) / read;
      // Twice where a table is read that holds little else; anew for each page, it is three times and more.
      expect(share, name).toBeLessThan(2.5);
    }
  },
);
