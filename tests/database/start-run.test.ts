import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Ledger, openLedger } from './open-ledger.ts';
import { anInput, begin, miscounted, newTenant, suiteFile } from './story.ts';

let ledger: Ledger;
beforeAll(async () => {
  ledger = await openLedger(inject('postgresUrl'));
});
afterAll(async () => ledger.close());

it('stores the run with all its test runs, queued and unpublished', async () => {
  const tenant = await newTenant(ledger);
  const text = suiteFile({ cases: 3, repetitions: 2 });
  const runId = await begin(
    ledger,
    tenant,
    anInput({ files: [{ path: 'a.suite.yaml', text }], suitePaths: ['a.suite.yaml'] }),
  );

  const [run] = await ledger.query('select status, open_suite_runs, triggered_by, is_base from runs where id = $1', [
    runId,
  ]);
  expect(run).toEqual({ status: 'pending', open_suite_runs: 1, triggered_by: 'api', is_base: false });
  const leases = await ledger.query(
    `select case_name, repetition, state, attempt, published_at, work -> 'case' ->> 'input' as input
     from test_run_leases where run_id = $1 order by repetition, sort_order`,
    [runId],
  );
  expect(leases).toHaveLength(6);
  expect(leases[0]).toEqual({
    case_name: 'case 1',
    repetition: 1,
    state: 'queued',
    attempt: 0,
    published_at: null,
    input: 'question 1',
  });
  expect(await miscounted(ledger)).toEqual([]);
});
