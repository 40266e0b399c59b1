import type { AlertKind, ChannelKind } from '@proofmark/contracts/alert-message';
import { sql } from 'kysely';
import type { z } from 'zod';
import {
  ChangedChannel,
  type ChannelAnswer,
  createChannel,
  deleteChannel,
  NewChannel,
  testChannel,
  updateChannel,
  urlProblem,
} from '../../alerts/change-channels.ts';
import { webhookSecret } from '../../alerts/deliver-alert.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { readInTenant } from '../../database/transactions.ts';
import { RepositoryType, repositoryById } from '../access/repositories.ts';
import { builder, type InputFields } from '../builder.ts';
import { costOfPage, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { suiteById } from '../definitions/read-suites.ts';
import { SuiteType } from '../definitions/suites.ts';
import { pageOf } from '../runs/run-filter.ts';
import { asMember, InvalidInputType, invalidInput, inWords, memberOf, NotFoundType, notFound } from '../user-errors.ts';
import { enumOf } from '../words.ts';
import { AlertKindType } from './alert-kind.ts';
import { AlertType, alertRow } from './alerts.ts';

const ChannelKindType = enumOf<ChannelKind>('AlertChannelKind', 'A way by which people are told of alerts.', {
  webhook: 'A signed request to an address, with all that is known as JSON.',
  slack: 'A message to an incoming webhook of Slack, or of whoever reads the same form.',
  email: 'A mail, by the mail server of the operator.',
  github_issue: 'An issue in a repository, opened by the Proofmark App; when it is over, it is closed.',
});

const channelColumns = {
  id: column<string>(),
  name: column<string>(),
  kind: column<ChannelKind>(),
  suiteId: column<string | null>(),
  repositoryId: column<string | null>(),
  recipients: column<string[]>(),
  shownUrl: column<string | null>(),
  events: column<AlertKind[]>(),
  quietFrom: column<string | null>(),
  quietUntil: column<string | null>(),
  timeZone: column<string | null>(),
  isEnabled: column<boolean>(),
  createdAt: column<string>(),
  updatedAt: column<string>(),
};

type ChannelView = RowOf<typeof channelColumns>;

const ChannelType = builder.objectRef<ChannelView>('AlertChannel').implement({
  description: 'A way by which people are told of alerts.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the channel.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    kind: t.expose('kind', { type: ChannelKindType, description: 'By which way it tells.' }),
    suite: t.field({
      type: SuiteType,
      nullable: true,
      description: 'The only suite that it tells of; null: all of the tenant.',
      resolve: ({ suiteId }, _args, context) => (suiteId === null ? null : suiteById(context, suiteId)),
    }),
    repository: t.field({
      type: RepositoryType,
      nullable: true,
      description: 'Where issues are opened; null for other kinds.',
      resolve: ({ repositoryId }, _args, context) =>
        repositoryId === null ? null : repositoryById(context, repositoryId),
    }),
    recipients: t.exposeStringList('recipients', { description: 'Who gets its mails.' }),
    url: t.exposeString('shownUrl', {
      nullable: true,
      description: 'Where its webhooks go, as far as that is no secret: the origin.',
    }),
    events: t.expose('events', { type: [AlertKindType], description: 'What it tells of.' }),
    quietFrom: t.exposeString('quietFrom', { nullable: true, description: 'When its quiet hours begin, HH:MM.' }),
    quietUntil: t.exposeString('quietUntil', {
      nullable: true,
      description: 'When its quiet hours end, HH:MM. What comes between is sent then.',
    }),
    timeZone: t.exposeString('timeZone', { nullable: true, description: 'Of the quiet hours; null: UTC.' }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'false: it tells nothing.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the channel was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const ChannelConnectionType = builder.connectionObject(
  { type: ChannelType, name: 'AlertChannelConnection', description: 'A page of alert channels.' },
  { name: 'AlertChannelEdge', description: 'A row of a page of alert channels.' },
);

builder.queryField('alertChannels', (t) =>
  t.field({
    type: ChannelConnectionType,
    authScopes: { admin: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The ways by which people of the tenant are told of alerts, newest first. Needs the scope admin.',
    resolve: (_root, page, context) =>
      readPage(context, 'alert-channels', page, async (request) => {
        const order = { key: sql`c.created_at`, id: sql`c.id`, isDescending: true };
        const { from, rest, position } = pageOf(order, request);
        const rows = await readInTenant(
          context.ports.database,
          callerOf(context).tenantId,
          sql<ChannelView & PageRow>`
            select ${selectList('c', channelColumns)}, ${position} as position from alert_channels c where ${from} ${rest}`,
        );
        return toPage(request, rows);
      }),
  }),
);

async function channelOf(context: GraphqlContext, id: string): Promise<ChannelView> {
  const [row] = await readInTenant(
    context.ports.database,
    callerOf(context).tenantId,
    sql<ChannelView>`select ${selectList('c', channelColumns)} from alert_channels c where c.id = ${id}`,
  );
  if (row === undefined) throw new Error('The channel vanished while it was changed');
  return row;
}

const fieldsOf = (t: InputFields) => ({
  url: t.string({ description: 'Where webhooks go: https, at a public address or one that the operator lists.' }),
  recipients: t.stringList({ description: 'Addresses of mails, 20 at most.' }),
  suiteId: t.field({ type: 'UUID', description: 'The only suite that it tells of; absent: all of the tenant.' }),
  repositoryId: t.field({ type: 'UUID', description: 'Where issues are opened.' }),
  events: t.field({ type: [AlertKindType], description: 'What it tells of; absent: everything.' }),
  quietFrom: t.string({ description: 'When quiet hours begin, HH:MM.' }),
  quietUntil: t.string({ description: 'When they end, HH:MM. What comes between is sent then.' }),
  timeZone: t.string({ description: 'Of the quiet hours, such as Europe/Berlin; absent: UTC.' }),
  isEnabled: t.boolean({ description: 'false: it tells nothing.' }),
});

const CreateInputType = builder.inputType('CreateAlertChannelInput', {
  description: 'A way by which people are told of alerts.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What people call it, once in the tenant.' }),
    kind: t.field({ type: ChannelKindType, required: true, description: 'By which way it tells.' }),
    ...fieldsOf(t),
  }),
});

const UpdateInputType = builder.inputType('UpdateAlertChannelInput', {
  description: 'What changes of a channel: what is absent stays, null goes back to the default.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the channel.' }),
    name: t.string({ description: 'What people call it, once in the tenant.' }),
    ...fieldsOf(t),
  }),
});

function answerOf(name: string) {
  const success = builder.objectRef<{ channel: ChannelView }>(`${name}Success`).implement({
    description: 'The channel is stored and tells from now on.',
    fields: (t) => ({
      alertChannel: t.field({ type: ChannelType, description: 'As it is now.', resolve: ({ channel }) => channel }),
    }),
  });
  const result = builder.unionType(`${name}Result`, {
    description: 'What came of it.',
    types: [success, InvalidInputType, NotFoundType],
    resolveType: memberOf,
  });
  return { success, result };
}

const created = answerOf('CreateAlertChannel');
const updated = answerOf('UpdateAlertChannel');

builder.objectField(created.success, 'signingSecret', (t) =>
  t.string({
    nullable: true,
    description:
      'By this the receiver of a webhook checks that it comes from here (standardwebhooks.com). It is shown this once; null for other kinds.',
    resolve: ({ channel: { id, kind } }, _args, { ports }) =>
      kind === 'webhook' ? `whsec_${webhookSecret(ports.alerts.signingKey, id).toString('base64')}` : null,
  }),
);

type Change<Input> = (context: GraphqlContext, tenantId: string, input: Input) => Promise<ChannelAnswer>;

/** Checks what was sent, changes, and shows what came of it. */
async function change<Input extends { url?: string | null | undefined }>(
  context: GraphqlContext,
  { member, shape, given, apply }: { member: string; shape: z.ZodType<Input>; given: unknown; apply: Change<Input> },
) {
  const parsed = shape.safeParse(given);
  if (!parsed.success) return invalidInput(parsed.error, given);
  const { url } = parsed.data;
  const wrong = url == null ? null : urlProblem(context.ports.alerts, url);
  const answer =
    wrong === null
      ? await apply(context, callerOf(context).tenantId, parsed.data)
      : { ok: false as const, problems: [wrong] };
  if (answer.ok) return asMember(member, { channel: await channelOf(context, answer.id) });
  if ('what' in answer) return notFound(answer.what);
  const { problems } = answer;
  return asMember('InvalidInput', { code: 'INVALID_INPUT', message: inWords(problems), problems });
}

const portsOf = ({ ports }: GraphqlContext) => ({ ...ports.alerts, database: ports.database });

builder.mutationField('createAlertChannel', (t) =>
  t.field({
    type: created.result,
    authScopes: { admin: true },
    args: { input: t.arg({ type: CreateInputType, required: true, description: 'The channel to make.' }) },
    description: 'Makes a way by which people are told of alerts. Needs the scope admin.',
    resolve: (_root, { input }, context) =>
      change(context, {
        ...{ member: 'CreateAlertChannelSuccess', shape: NewChannel, given: input },
        apply: (at, tenantId, parsed) => createChannel(portsOf(at), tenantId, parsed),
      }),
  }),
);

builder.mutationField('updateAlertChannel', (t) =>
  t.field({
    type: updated.result,
    authScopes: { admin: true },
    args: { input: t.arg({ type: UpdateInputType, required: true, description: 'What is asked of the channel.' }) },
    description: 'Changes a way by which people are told of alerts; its kind stays. Needs the scope admin.',
    resolve: (_root, { input }, context) =>
      change(context, {
        ...{ member: 'UpdateAlertChannelSuccess', shape: ChangedChannel, given: input },
        apply: (at, tenantId, parsed) => updateChannel(portsOf(at), tenantId, parsed),
      }),
  }),
);

const DeletedType = builder.objectRef<{ id: string }>('DeleteAlertChannelSuccess').implement({
  description: 'The channel is gone. What it was told stays listed.',
  fields: (t) => ({ id: t.expose('id', { type: 'UUID', description: 'Id of what was deleted.' }) }),
});

const DeletedResultType = builder.unionType('DeleteAlertChannelResult', {
  description: 'What came of it.',
  types: [DeletedType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('deleteAlertChannel', (t) =>
  t.field({
    type: DeletedResultType,
    authScopes: { admin: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the channel.' }) },
    description: 'Deletes a channel at once. What waits to be sent by it is not sent. Needs the scope admin.',
    resolve: async (_root, { id }, context) => {
      const isDeleted = await deleteChannel(context.ports.database, callerOf(context).tenantId, id);
      return isDeleted ? asMember('DeleteAlertChannelSuccess', { id }) : notFound('channel');
    },
  }),
);

const TestedType = builder.objectRef<{ alertId: string }>('TestAlertChannelSuccess').implement({
  description: 'A test is on its way. What came of it is in its deliveries.',
  fields: (t) => ({
    alert: t.field({
      type: AlertType,
      description: 'The test; ask for `alerts(kind: TEST)` to see what came of it.',
      resolve: async ({ alertId }, _args, context) => await alertRow(context, alertId),
    }),
  }),
});

const TestedResultType = builder.unionType('TestAlertChannelResult', {
  description: 'What came of it.',
  types: [TestedType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('testAlertChannel', (t) =>
  t.field({
    type: TestedResultType,
    authScopes: { admin: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the channel.' }) },
    description: 'Sends a test by a channel, as alerts go, in quiet hours too. Needs the scope admin.',
    resolve: async (_root, { id }, context) => {
      const alertId = await testChannel(context.ports.database, callerOf(context).tenantId, id);
      if (alertId === null) return notFound('channel');
      context.ports.alerts.wake();
      return asMember('TestAlertChannelSuccess', { alertId });
    },
  }),
);
