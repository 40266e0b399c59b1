import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ledger } from '../../database/open-ledger.fixture.ts';
import { inTenant } from '../../database/transactions.ts';
import { judgedRuns, pull, sha } from '../../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../../story.fixture.ts';
import { type Ask, asker } from '../ask.fixture.ts';

let ledger: Ledger;
let tenant: Tenant;
let ask: Ask;
let base: string;
let head: string;
let suiteId: string;

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  ask = asker(ledger);
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  const cool = suiteFile({ name: 'Hours', cases: 2, extra: 'variables: { Temperature: 0 }' });
  const warm = cool
    .replace('Temperature: 0', 'Temperature: 1')
    .replace('- name: case 2', '- name: case 2\n    tags: [slow]');
  base = await runs.baseRun(sha('a'), cool);
  const trigger = { ...pull(7), headSha: sha('b'), baseSha: sha('a'), author: 'alice' };
  head = await runs.start({ trigger, text: warm.replaceAll('Hours', 'Prices') });
  await runs.execute(head, () => false);
  await runs.judge(head);
  const [row] = await ledger.query<{ id: string }>('select suite_id as id from test_suite_runs where run_id = $1', [
    base,
  ]);
  suiteId = given(row).id;
});

const Page = z.object({ edges: z.array(z.object({ node: z.object({ id: z.string() }) })) });

async function found(list: 'runs' | 'suiteRuns', filter: object, orderBy: string | null = null): Promise<string[]> {
  const kind = list === 'runs' ? 'Run' : 'SuiteRun';
  const id = list === 'runs' ? 'id' : 'id: runId';
  const { data, errors } = await ask(
    tenant.caller,
    `query ($filter: ${kind}Filter, $orderBy: TimeOrder) { ${list}(filter: $filter, orderBy: $orderBy) { edges { node { ${id} } } } }`,
    { filter, orderBy },
  );
  expect(errors).toEqual([]);
  return Page.parse(data?.[list]).edges.map(({ node }) => node.id);
}

const filters: Record<string, { filter: object; of: 'base' | 'head' }> = {
  branch: { filter: { branch: 'main' }, of: 'base' },
  pullRequest: { filter: { pullRequest: 7 }, of: 'head' },
  commit: { filter: { headSha: sha('b') }, of: 'head' },
  suite: { filter: { suite: 'Prices' }, of: 'head' },
  agent: { filter: { agent: 'Hours agent' }, of: 'base' },
  tag: { filter: { tag: 'slow' }, of: 'head' },
  'variable value': { filter: { variable: { name: 'Temperature', value: 0 } }, of: 'base' },
  author: { filter: { person: 'alice' }, of: 'head' },
  base: { filter: { isBase: true }, of: 'base' },
  'several at once': { filter: { suite: 'Prices', tag: 'slow', verdict: null, trigger: 'CI' }, of: 'head' },
};

it.each(Object.keys(filters))('runs and suite runs are found by %s', async (name) => {
  const { filter, of } = given(filters[name]);
  const id = of === 'base' ? base : head;
  expect(await found('runs', filter)).toEqual([id]);
  expect(await found('suiteRuns', filter)).toEqual([id]);
});

it('a filter that nothing has finds nothing, and none finds all in the order that is asked for', async () => {
  for (const filter of [
    { tag: 'fast' },
    { variable: { name: 'Temperature', value: '0' } },
    { person: 'bob' },
    { verdict: 'ERROR' },
  ])
    expect(await found('runs', filter)).toEqual([]);
  for (const list of ['runs', 'suiteRuns'] as const) {
    expect(await found(list, {})).toEqual([head, base]);
    expect(await found(list, { person: 'ci' }, 'OLDEST')).toEqual([base, head]);
    expect(await found(list, {}, 'LAST_ENDED')).toEqual([head, base]);
  }
  expect(await found('runs', { suiteId })).toEqual([base]);
});

it('a token of one repository finds the runs of no other, whatever it filters by', async () => {
  const [other] = await ledger.query<{ id: string }>(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name) values ($1, 'github.com', '78', '7', 'acme/other') returning id`,
    [tenant.id],
  );
  const bound = { ...tenant.caller, repositoryId: given(other).id };
  const { data } = await ask(
    bound,
    '{ runs(filter: { tag: "slow" }) { edges { node { id } } } suiteRuns { edges { node { id } } } }',
  );
  expect(data).toEqual({ runs: { edges: [] }, suiteRuns: { edges: [] } });
});

/** Of a list's statement, without its parameters. */
const explained = z.array(z.object({ 'QUERY PLAN': z.string() }));

it.each([
  [
    'facet',
    `f.facet = 'tag=slow' and f.created_at < now()`,
    'suite_run_facets f',
    'f.created_at',
    'suite_run_facets_time_idx',
  ],
  ['branch', `r.ref = 'refs/heads/main'`, 'runs r', 'r.created_at', 'runs_of_ref_idx'],
  ['verdict', `r.verdict = 'error'`, 'runs r', 'r.created_at', 'runs_of_verdict_idx'],
  ['trigger', `r.triggered_by = 'schedule'`, 'runs r', 'r.created_at', 'runs_of_trigger_idx'],
  [
    'repository',
    `r.repository_id = '00000000-0000-4000-8000-000000000000'`,
    'runs r',
    'r.created_at',
    'runs_of_repository_idx',
  ],
])('row-level security lets the index of %s carry filter and order', async (_name, condition, from, order, index) => {
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  await client.query('analyze');
  await client.end();
  const rows = await inTenant(ledger.database, tenant.id, async (em) => {
    // Tables of a few rows are read whole; what is asked here is whether the index may be used at all.
    await em.execute('set local enable_seqscan = off');
    await em.execute('set local enable_sort = off');
    return await em.execute(`explain select 1 from ${from} where ${condition} order by ${order} desc limit 21`);
  });
  const plan = explained
    .parse(rows)
    .map((row) => row['QUERY PLAN'])
    .join('\n');
  expect(plan).toContain(index);
  expect(plan).toMatch(/Index Cond: .*(facet|ref|verdict|triggered_by|repository_id) = /);
});
