import { sql } from 'kysely';
import { asWorker, type Database } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';

interface RunnerView {
  runnerId: string;
  pool: string;
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
      select s.runner_id as "runnerId", s.pool, s.version, s.slots, s.created_at as since,
        coalesce(c.held, 0)::int as "heldTestRuns", coalesce(c.runs, '{}') as "runIds"
      from runner_sessions s left join lateral (
        select sum(open_count) as held, array_agg(distinct run_id) filter (where tenant_id = ${tenantId}) as runs
        from chunks where session_id = s.id and state = 'leased') c on true
      where s.state = 'open' and s.lease_until > now() order by s.pool, s.runner_id, s.created_at limit ${most}`.execute(
      em.getKysely(),
    );
    return rows;
  });
}

const RunnerType = builder.objectRef<RunnerView>('Runner').implement({
  description: 'A runner process that is connected now.',
  fields: (t) => ({
    id: t.exposeString('runnerId', { description: 'Its name.' }),
    pool: t.exposeString('pool', { description: 'The pool whose test runs it takes.' }),
    version: t.exposeString('version', { description: 'Of its program.' }),
    slots: t.exposeInt('slots', { description: 'How many test runs it executes at the same time.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When it connected.' }),
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
    description: `The runners that are connected now, at most ${most}, by pool and name. Needs the scope admin.`,
    resolve: (_root, _args, context) => readRunners(context.ports.database, callerOf(context).tenantId),
  }),
);

/** Whether test runs of the run wait and nobody is there to take them. */
export async function hasNoRunners(database: Database, run: { tenantId: string; id: string }): Promise<boolean> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (
        select 1 from chunks c where c.tenant_id = ${run.tenantId} and c.run_id = ${run.id} and c.state = 'queued'
          and not exists (
            select 1 from runner_sessions s where s.pool = c.pool and s.state = 'open' and s.lease_until > now())
      ) as waits`.execute(em.getKysely());
    return rows[0]?.waits === true;
  });
}
