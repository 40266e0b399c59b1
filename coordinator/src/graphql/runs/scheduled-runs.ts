import { sql } from 'kysely';
import { readInTenant } from '../../database/transactions.ts';
import { ownRows } from '../../definitions/reach.ts';
import { builder } from '../builder.ts';
import { costOfPage, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { suiteById } from '../definitions/read-suites.ts';
import { SuiteType } from '../definitions/suites.ts';
import { enumOf } from '../words.ts';
import { runById } from './read-runs.ts';
import { pageOf } from './run-filter.ts';
import { RunType } from './runs.ts';

type WindowState = 'waiting' | 'taken' | 'started' | 'refused';

interface WindowView extends PageRow {
  suiteId: string;
  dueAt: string;
  state: WindowState;
  runId: string | null;
  reason: string | null;
}

const StateType = enumOf<WindowState>('ScheduleState', 'What came of a time at which a suite was to run by itself.', {
  waiting: 'The run of an earlier time is still under way; it begins when that has ended.',
  taken: 'A coordinator is about to start the run.',
  started: 'A run of the suite was started.',
  refused: 'No run was started; see the reason.',
});

const ScheduledRunType = builder.objectRef<WindowView>('ScheduledRun').implement({
  description: 'A time at which a suite was to run by itself, and what came of it.',
  fields: (t) => ({
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'Id of the suite.' }),
    suite: t.field({
      type: SuiteType,
      nullable: true,
      description: 'The suite as the base branch defines it now; null when it was deleted.',
      resolve: ({ suiteId }, _args, context) => suiteById(context, suiteId),
    }),
    dueAt: t.expose('dueAt', { type: 'DateTime', description: 'When it was to run.' }),
    state: t.expose('state', { type: StateType, description: 'What came of it.' }),
    run: t.field({
      type: RunType,
      nullable: true,
      description: 'The run that was started; null when none was, or retention has removed it.',
      resolve: async ({ runId }, _args, context) => (runId === null ? null : await runById(context, runId)),
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why no run was started, and what to do.' }),
  }),
});

const ScheduledRunConnectionType = builder.connectionObject(
  { type: ScheduledRunType, name: 'ScheduledRunConnection', description: 'A page of times of schedules.' },
  { name: 'ScheduledRunEdge', description: 'A row of a page of times of schedules.' },
);

builder.queryField('scheduledRuns', (t) =>
  t.field({
    type: ScheduledRunConnectionType,
    authScopes: { readAll: true },
    args: {
      ...pageArguments(),
      suiteId: t.arg({ type: 'UUID', description: 'Only those of this suite.' }),
      state: t.arg({ type: StateType, description: 'Only those of which this came, such as REFUSED.' }),
    },
    complexity: costOfPage,
    description: 'The times at which suites were to run by themselves, newest first, with what came of each.',
    resolve: (_root, { suiteId, state, ...page }, context) =>
      readPage(context, `scheduled-runs ${suiteId ?? ''} ${state ?? ''}`, page, async (request) => {
        const caller = callerOf(context);
        const order = { key: sql`d.due_at`, id: sql`d.suite_id`, isDescending: true };
        const { from, rest, position } = pageOf(order, request);
        const rows = await readInTenant(
          context.ports.database,
          caller.tenantId,
          sql<WindowView>`
            select d.suite_id as "suiteId", d.due_at as "dueAt", d.state, d.run_id as "runId", d.reason, ${position} as position
            from scheduled_runs d
            join agent_test_suites s on s.tenant_id = d.tenant_id and s.id = d.suite_id
            join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
            where ${ownRows(caller, sql`a.repository_id`)} and ${suiteId ? sql`d.suite_id = ${suiteId}` : sql`true`}
              and ${state ? sql`d.state = ${state}` : sql`true`} and ${from} ${rest}`,
        );
        return toPage(request, rows);
      }),
  }),
);
