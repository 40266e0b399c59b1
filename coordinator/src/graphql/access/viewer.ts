import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { ScopeType } from '../words.ts';

interface ViewerNames {
  tenant: string;
  login: string;
}

/** The names behind the ids of a caller. */
export async function readViewerNames(database: Database, { tenantId, userId }: Caller): Promise<ViewerNames> {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<ViewerNames>`
      select t.name as tenant, u.login from tenants t join users u on u.tenant_id = t.id
      where t.id = ${tenantId} and u.id = ${userId}`,
  );
  return rows[0] ?? { tenant: '', login: '' };
}

const ViewerType = builder.objectRef<Caller & ViewerNames>('Viewer').implement({
  description: 'Who sends this request.',
  fields: (t) => ({
    tenant: t.exposeString('tenant', { description: 'Name of the tenant: everything that is seen belongs to it.' }),
    login: t.exposeString('login', { description: 'Login of the user that the token acts for.' }),
    kind: t.string({
      description: 'api for a token of a program, run for the token of a CI job, session for a browser.',
      resolve: ({ kind }) => kind,
    }),
    scopes: t.field({ type: [ScopeType], description: 'What the token may do.', resolve: ({ scopes }) => [...scopes] }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The only repository that the token is for.',
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerType,
    description: 'Who sends this request.',
    resolve: async (_root, _args, context) => {
      const caller = callerOf(context);
      return { ...caller, ...(await readViewerNames(context.ports.database, caller)) };
    },
  }),
);
