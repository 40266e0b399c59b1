import type { AlertFacts, AlertKind } from '@proofmark/contracts/alert-message';
import { describeAlert } from '@proofmark/domain/describe-alert';
import { type RawBuilder, sql } from 'kysely';
import { readInTenant } from '../../database/transactions.ts';
import { ownRows } from '../../definitions/reach.ts';
import { builder } from '../builder.ts';
import { costOfPage, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { suiteById } from '../definitions/read-suites.ts';
import { SuiteType } from '../definitions/suites.ts';
import { runById } from '../runs/read-runs.ts';
import { pageOf } from '../runs/run-filter.ts';
import { RunType } from '../runs/runs.ts';
import { enumOf } from '../words.ts';
import { AlertKindType } from './alert-kind.ts';

type DeliveryState = 'due' | 'done' | 'parked';

interface Delivery {
  channelId: string;
  channel: string | null;
  state: DeliveryState;
  reason: string | null;
  tries: number;
  nextTryAt: string | null;
}

interface AlertView {
  id: string;
  kind: AlertKind;
  suiteId: string | null;
  suiteName: string | null;
  cellKey: string;
  runId: string | null;
  facts: AlertFacts;
  createdAt: string;
  endedAt: string | null;
  deliveries: Delivery[];
}

const StateType = enumOf<DeliveryState>('AlertDeliveryState', 'What came of telling a channel.', {
  due: 'It is to be sent, or sent again.',
  done: 'The receiver took it.',
  parked: 'It was given up; see the reason.',
});

const DeliveryType = builder.objectRef<Delivery>('AlertDelivery').implement({
  description: 'An alert on its way by one channel.',
  fields: (t) => ({
    channelId: t.expose('channelId', { type: 'UUID', description: 'Id of the channel, which may be deleted by now.' }),
    channel: t.exposeString('channel', { nullable: true, description: 'Name of the channel; null: it was deleted.' }),
    state: t.expose('state', { type: StateType, description: 'What came of it.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it was not taken the last time, or by whom.',
    }),
    tries: t.exposeInt('tries', { description: 'How often it was tried since it was last due.' }),
    nextTryAt: t.expose('nextTryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next, such as at the end of quiet hours; null: not any more.',
    }),
  }),
});

export const AlertType = builder.objectRef<AlertView>('Alert').implement({
  description: 'Something that people are told without looking.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the alert, as webhooks name it.' }),
    kind: t.expose('kind', { type: AlertKindType, description: 'What it is about.' }),
    title: t.string({ description: 'One line for people.', resolve: (alert) => wordsOf(alert).title }),
    lines: t.stringList({ description: 'Further lines for people.', resolve: (alert) => wordsOf(alert).lines }),
    suite: t.field({
      type: SuiteType,
      nullable: true,
      description: 'The suite as the base branch defines it now; null for a test, or when it was deleted.',
      resolve: ({ suiteId }, _args, context) => (suiteId === null ? null : suiteById(context, suiteId)),
    }),
    suiteName: t.exposeString('suiteName', { nullable: true, description: 'Name of the suite, as it was then.' }),
    cellKey: t.exposeString('cellKey', { description: 'Which combination of matrix values; empty without a matrix.' }),
    run: t.field({
      type: RunType,
      nullable: true,
      description: 'The run that gave reason for it; null where none was started.',
      resolve: async ({ runId }, _args, context) => (runId === null ? null : await runById(context, runId)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was raised.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When what goes on was over; null: it goes on, or it is of a kind that does not.',
    }),
    deliveries: t.field({
      type: [DeliveryType],
      description: 'By which channels it was told, and what came of it.',
      resolve: ({ deliveries }) => deliveries,
    }),
  }),
});

const wordsOf = ({ kind, suiteName: suite, cellKey, facts }: AlertView) =>
  describeAlert({ kind, suite, cellKey, facts });

const columns = sql`
  l.id, l.kind, l.suite_id as "suiteId", l.suite_name as "suiteName", l.cell_key as "cellKey", l.run_id as "runId", l.facts,
  l.created_at as "createdAt", l.ended_at as "endedAt", coalesce((
    select jsonb_agg(jsonb_build_object('channelId', o.subject ->> 'channelId', 'channel', c.name, 'state', o.state,
      'reason', o.reason, 'tries', o.tries,
      'nextTryAt', case when o.state = 'due' then o.next_try_at end) order by c.name, o.id)
    from outbox o left join alert_channels c on c.tenant_id = o.tenant_id and c.id::text = o.subject ->> 'channelId'
    where o.alert_id = l.id), '[]') as deliveries`;

/** One alert of the tenant. */
export async function alertRow(context: GraphqlContext, id: string): Promise<AlertView> {
  const [row] = await readInTenant(
    context.ports.database,
    callerOf(context).tenantId,
    sql<AlertView>`select ${columns} from alerts l where l.id = ${id}`,
  );
  if (row === undefined) throw new Error('The alert vanished while it was told');
  return row;
}

const AlertConnectionType = builder.connectionObject(
  { type: AlertType, name: 'AlertConnection', description: 'A page of alerts.' },
  { name: 'AlertEdge', description: 'A row of a page of alerts.' },
);

const unless = (value: unknown, condition: RawBuilder<unknown>) => (value == null ? sql`true` : condition);

builder.queryField('alerts', (t) =>
  t.field({
    type: AlertConnectionType,
    authScopes: { readAll: true },
    args: {
      ...pageArguments(),
      suiteId: t.arg({ type: 'UUID', description: 'Only those about this suite.' }),
      kind: t.arg({ type: AlertKindType, description: 'Only those of this kind.' }),
    },
    complexity: costOfPage,
    description: 'What people were told without looking, newest first, with what came of it in each channel.',
    resolve: (_root, { suiteId, kind, ...page }, context) =>
      readPage(context, `alerts ${suiteId ?? ''} ${kind ?? ''}`, page, async (request) => {
        const caller = callerOf(context);
        const { from, rest, position } = pageOf({ key: sql`l.created_at`, id: sql`l.id`, isDescending: true }, request);
        const rows = await readInTenant(
          context.ports.database,
          caller.tenantId,
          sql<AlertView & PageRow>`
            select ${columns}, ${position} as position from alerts l
            left join agent_test_suites s on s.tenant_id = l.tenant_id and s.id = l.suite_id
            left join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
            where ${ownRows(caller, sql`a.repository_id`)} and ${unless(suiteId, sql`l.suite_id = ${suiteId}`)}
              and ${unless(kind, sql`l.kind = ${kind}`)} and ${from} ${rest}`,
        );
        return toPage(request, rows);
      }),
  }),
);
