import { sql } from 'kysely';
import { askAsWorker, asWorker, type Database } from '../../database/transactions.ts';
import { isConnected, serves } from '../../ledger/fleet.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { listBy } from '../loaders.ts';

interface RunnerView {
  runnerId: string;
  pools: string[];
  version: string;
  slots: number;
  since: string;
  heldTestRuns: number;
  runIds: string[];
}

const most = 500;

/** Runners belong to no tenant, so only the loops may read them; of what they hold a caller is told the runs of its tenant alone. */
async function readRunners(database: Database, tenantId: string): Promise<RunnerView[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<RunnerView>`
      select s.runner_id as "runnerId", p.pools, s.version, s.slots, s.created_at as since,
        coalesce(c.held, 0)::int as "heldTestRuns", coalesce(c.runs, '{}') as "runIds"
      from runner_sessions s
      cross join lateral (select array_agg(distinct o order by o) as pools from unnest(s.pools || s.pool) o) p
      left join lateral (
        select sum(open_count) as held, array_agg(distinct run_id) filter (where tenant_id = ${tenantId}) as runs
        from chunks where session_id = s.id and state = 'leased') c on true
      where ${isConnected(sql`s`)} order by p.pools, s.runner_id, s.created_at limit ${most}`.execute(em.getKysely());
    return rows;
  });
}

const RunnerType = builder.objectRef<RunnerView>('Runner').implement({
  description: 'A runner process that is connected now.',
  fields: (t) => ({
    id: t.exposeString('runnerId', { description: 'The name that it gave itself.' }),
    pools: t.exposeStringList('pools', { description: 'The pools whose test runs it takes.' }),
    version: t.exposeString('version', { description: 'Version of the program that it runs.' }),
    slots: t.exposeInt('slots', { description: 'How many test runs it executes at the same time.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When its connection began.' }),
    heldTestRuns: t.exposeInt('heldTestRuns', {
      description: 'How many test runs it executes or is about to, whoever they belong to.',
    }),
    runIds: t.expose('runIds', { type: ['UUID'], description: 'The runs of this tenant that they belong to.' }),
  }),
});

builder.queryField('runners', (t) =>
  t.field({
    type: [RunnerType],
    authScopes: { admin: true },
    complexity: 20,
    description: `The runners that are connected now, at most ${most}, by pools and name. Needs the scope admin.`,
    resolve: (_root, _args, context) => readRunners(context.ports.database, callerOf(context).tenantId),
  }),
);

/** The pools that suite runs of a run wait for, because nobody is there to take their test runs. */
export const poolsWithoutRunners = listBy(
  (database, tenantId, runIds) =>
    askAsWorker(
      database,
      sql<{ runId: string; pool: string }>`
        select distinct r.run_id as "runId", r.pool from test_suite_runs r
        where r.tenant_id = ${tenantId} and r.run_id = any(${runIds}::uuid[]) and r.status in ('pending', 'running')
          and r.ending is null and not exists (select from runner_sessions s where ${serves(sql`s`, sql`r.pool`)})
        order by 2`,
    ),
  ({ runId }) => runId,
);
