import { sql } from 'kysely';
import { z } from 'zod';
import {
  type ApiTokenView,
  CreateApiTokenInput,
  createApiToken,
  exchangeToken,
  mostGraceHours,
  type RunToken,
  revokeApiToken,
  rotateApiToken,
} from '../../access/api-tokens.ts';
import { readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { costOfPage, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { MAX_BODY_BYTES } from '../limits/document-limits.ts';
import { pageOf } from '../runs/run-filter.ts';
import { asMember, InvalidInputType, invalidInput, memberOf, NotFoundType, notFound } from '../user-errors.ts';
import { ScopeType, WhoReportsType } from '../words.ts';

const ApiTokenType = builder.objectRef<ApiTokenView>('ApiToken').implement({
  description: 'A token of a program, without the token itself.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id, for revokeApiToken.' }),
    name: t.exposeString('name', { description: 'What it is for.' }),
    scopes: t.field({ type: [ScopeType], description: 'What it may do.', resolve: ({ scopes }) => scopes }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends; null: never.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

interface ListedToken extends ApiTokenView, PageRow {
  login: string;
  repository: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

const ListedTokenType = builder.objectRef<ListedToken>('ListedApiToken').implement({
  description: 'A token of a program as the list of tokens has it, without the token itself.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the token, for revokeApiToken and rotateApiToken.' }),
    name: t.exposeString('name', { description: 'What the token is for.' }),
    scopes: t.field({ type: [ScopeType], description: 'What the token may do.', resolve: ({ scopes }) => scopes }),
    login: t.exposeString('login', { description: 'Login of whom it acts for.' }),
    repository: t.exposeString('repository', {
      nullable: true,
      description: 'The only repository that it is for; null: all of the tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the token was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends; null: never.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When somebody ended it; null: nobody has.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was used last, as far as that was noted.',
    }),
  }),
});

const ListedTokenConnectionType = builder.connectionObject(
  { type: ListedTokenType, name: 'ApiTokenConnection', description: 'A page of tokens of programs.' },
  { name: 'ApiTokenEdge', description: 'A row of a page of tokens of programs.' },
);

builder.queryField('apiTokens', (t) =>
  t.field({
    type: ListedTokenConnectionType,
    authScopes: { admin: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The tokens of programs of this tenant, newest first, ended ones included. Needs the scope admin.',
    resolve: (_root, page, context) =>
      readPage(context, 'api-tokens', page, async (request) => {
        const { from, rest, position } = pageOf({ key: sql`k.created_at`, id: sql`k.id`, isDescending: true }, request);
        const rows = await readInTenant(
          context.ports.database,
          callerOf(context).tenantId,
          sql<ListedToken>`
            select k.id, k.name, k.scopes, u.login, p.full_name as repository, k.created_at as "createdAt",
              k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt", ${position} as position
            from api_tokens k join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
            left join repositories p on p.tenant_id = k.tenant_id and p.id = k.repository_id
            where k.kind = 'api' and ${from} ${rest}`,
        );
        return toPage(request, rows);
      }),
  }),
);

const Input = builder.inputType('CreateApiTokenInput', {
  description: 'A token for a program.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What it is for, 1 to 255 characters.' }),
    scopes: t.field({ type: [ScopeType], required: true, description: 'What it may do.' }),
    repositoryId: t.field({ type: 'UUID', description: 'Binds it to one repository.' }),
    login: t.string({ description: 'Whom it acts for, a person or service of the tenant; absent: whoever makes it.' }),
    expiresInDays: t.int({ description: 'Absent: it never expires.' }),
  }),
});

const CreatedType = builder.objectRef<{ token: string; apiToken: ApiTokenView }>('CreateApiTokenSuccess').implement({
  description: 'The token was made.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The token itself. It is shown this once and stored nowhere.' }),
    apiToken: t.field({
      type: ApiTokenType,
      description: 'What is known about it.',
      resolve: ({ apiToken }) => apiToken,
    }),
  }),
});

const CreatedResultType = builder.unionType('CreateApiTokenResult', {
  description: 'What came of it.',
  types: [CreatedType, InvalidInputType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('createApiToken', (t) =>
  t.field({
    type: CreatedResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: Input, required: true, description: 'The token to make.' }) },
    description: 'Makes a token for a program of this tenant. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = CreateApiTokenInput.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const created = await createApiToken(context.ports.database, callerOf(context), parsed.data);
      return created.ok
        ? asMember('CreateApiTokenSuccess', created)
        : notFound(created.error.what === 'person' ? 'person or service, or no repository,' : 'repository');
    },
  }),
);

const RotatedType = builder.objectRef<{ token: string; apiToken: ApiTokenView }>('RotateApiTokenSuccess').implement({
  description: 'A new token has taken the place of the old one.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The new token itself. It is shown this once and stored nowhere.' }),
    apiToken: t.field({
      type: ApiTokenType,
      description: 'What is known about the new token.',
      resolve: ({ apiToken }) => apiToken,
    }),
  }),
});

const RotatedResultType = builder.unionType('RotateApiTokenResult', {
  description: 'What came of the rotation.',
  types: [RotatedType, InvalidInputType, NotFoundType],
  resolveType: memberOf,
});

const Rotation = z.strictObject({ id: z.string(), graceHours: z.int().min(0).max(mostGraceHours) });

builder.mutationField('rotateApiToken', (t) =>
  t.field({
    type: RotatedResultType,
    authScopes: { admin: true },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'Id of the token to replace.' }),
      graceHours: t.arg.int({
        defaultValue: 24,
        description: `For how many hours the old token goes on beside it, 0 to ${mostGraceHours}.`,
      }),
    },
    description:
      'Makes a new token with the name, the scopes and the span of life of another one, which ends after some hours of grace and cannot be rotated again. Needs the scope admin.',
    resolve: async (_root, { id, graceHours }, context) => {
      const parsed = Rotation.safeParse({ id, graceHours });
      if (!parsed.success) return invalidInput(parsed.error, { id, graceHours });
      const rotated = await rotateApiToken(context.ports.database, callerOf(context), parsed.data);
      if (rotated.ok) return asMember('RotateApiTokenSuccess', rotated);
      if (rotated.why === 'gone') return notFound('token that still opens anything');
      const message =
        'this token was rotated before and ends soon; rotate the token that took its place, or make another with createApiToken';
      const problems = [{ path: 'id', code: 'invalid_value', message }];
      return asMember('InvalidInput', { code: 'INVALID_INPUT', message: `id: ${message}`, problems });
    },
  }),
);

const RevokedType = builder.objectRef<{ id: string }>('RevokeApiTokenSuccess').implement({
  description: 'The token opens nothing any more.',
  fields: (t) => ({ id: t.expose('id', { type: 'UUID', description: 'Id of the token.' }) }),
});

const RevokedResultType = builder.unionType('RevokeApiTokenResult', {
  description: 'What came of it.',
  types: [RevokedType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('revokeApiToken', (t) =>
  t.field({
    type: RevokedResultType,
    authScopes: { admin: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the token.' }) },
    description: 'Ends a token at once. Doing it again changes nothing. Needs the scope admin.',
    resolve: async (_root, { id }, context) => {
      const isRevoked = await revokeApiToken(context.ports.database, callerOf(context), id);
      return isRevoked ? asMember('RevokeApiTokenSuccess', { id }) : notFound('token');
    },
  }),
);

const RunTokenType = builder.objectRef<RunToken>('ExchangeTokenSuccess').implement({
  description: 'A token for this workflow run.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The run token. Send it as a bearer token from now on.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it ends, 15 minutes from now; exchange a new token then.',
    }),
    reporting: t.expose('reporting', { type: WhoReportsType, description: 'Who writes checks and comments.' }),
    maxBodyBytes: t.int({ description: 'The largest request that is accepted.', resolve: () => MAX_BODY_BYTES }),
  }),
});

builder.mutationField('exchangeToken', (t) =>
  t.field({
    type: RunTokenType,
    authScopes: { job: true },
    description:
      'Exchanges the OIDC token of a CI job, sent as the bearer token of this request, for a run token. It works once for each token.',
    resolve: async (_root, _args, { identity, ports }) => {
      if (identity.kind !== 'job') throw graphqlError('FORBIDDEN', 'Send the token of the job.');
      return await exchangeToken(ports.database, identity.job, ports.hasApp);
    },
  }),
);
