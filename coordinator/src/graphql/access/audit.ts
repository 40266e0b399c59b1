import { sql } from 'kysely';
import { readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { costOfPage, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { allOf, pageOf } from '../runs/run-filter.ts';

interface AuditEntryView extends PageRow {
  id: string;
  at: string;
  login: string | null;
  token: string | null;
  action: string;
  subject: string;
  names: string[];
  total: number;
  changes: unknown;
}

const AuditEntryType = builder.objectRef<AuditEntryView>('AuditEntry').implement({
  description: 'A change that somebody made, noted in the transaction of the change.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was done.' }),
    login: t.exposeString('login', {
      nullable: true,
      description: 'Login of who did it; null: the operator beside the database, or the coordinator by itself.',
    }),
    token: t.exposeString('token', { nullable: true, description: 'Name of the token that it was done with.' }),
    action: t.exposeString('action', {
      description: 'created, changed, deleted or restored; of a run started, cancelled or annotated; confirmed.',
    }),
    subject: t.exposeString('subject', {
      description:
        'What kind of thing it was: principal, token, session, repository, setting, ai-configuration, test-type, preset, agent, suite, case, alert-channel, run, suite-run.',
    }),
    names: t.exposeStringList('names', { description: 'The names of the first twenty; of runs their ids.' }),
    total: t.exposeInt('total', { description: 'How many were changed at once.' }),
    changes: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Of a single one: each column that changed with its value before and after, 500 characters of each, and no secrets.',
      resolve: ({ changes }) => changes,
    }),
  }),
});

const AuditConnectionType = builder.connectionObject(
  { type: AuditEntryType, name: 'AuditConnection', description: 'A page of changes that somebody made.' },
  { name: 'AuditEdge', description: 'A row of a page of changes.' },
);

const Filter = builder.inputType('AuditFilter', {
  description: 'Which changes; what is absent allows all.',
  fields: (t) => ({
    login: t.string({ description: 'Those of this person or service.' }),
    action: t.string({ description: 'Those of this action, such as deleted.' }),
    subject: t.string({ description: 'Those of this kind of thing, such as token.' }),
    after: t.field({ type: 'DateTime', description: 'Those after this moment.' }),
    before: t.field({ type: 'DateTime', description: 'Those before this moment.' }),
  }),
});

builder.queryField('audit', (t) =>
  t.field({
    type: AuditConnectionType,
    authScopes: { admin: true },
    args: { ...pageArguments(), filter: t.arg({ type: Filter, description: 'Which changes to list.' }) },
    complexity: costOfPage,
    description: 'Who changed what in this tenant, newest first. Needs the scope admin.',
    resolve: (_root, { filter, ...page }, context) =>
      readPage(context, 'audit', page, async (request) => {
        const { from, rest, position } = pageOf({ key: sql`e.at`, id: sql`e.id`, isDescending: true }, request);
        const { login, action, subject, after, before } = filter ?? {};
        const where = allOf([
          login && sql`u.login = ${login}`,
          action && sql`e.action = ${action}`,
          subject && sql`e.subject = ${subject}`,
          after && sql`e.at > ${after}::timestamptz`,
          before && sql`e.at < ${before}::timestamptz`,
          from,
        ]);
        const rows = await readInTenant(
          context.ports.database,
          callerOf(context).tenantId,
          sql<AuditEntryView>`
            select e.id, e.at, u.login, k.name as token, e.action, e.subject, e.names, e.total, e.changes, ${position} as position
            from audit_entries e left join users u on u.tenant_id = e.tenant_id and u.id = e.user_id
            left join api_tokens k on k.tenant_id = e.tenant_id and k.id = e.token_id
            where ${where} ${rest}`,
        );
        return toPage(request, rows);
      }),
  }),
);
