import { type ApiTokenView, CreateApiTokenInput, createApiToken } from '../../access/create-api-token.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { ApiTokenType } from '../objects/api-token.ts';
import { ScopeType } from '../objects/scope.ts';
import { InvalidInputType, NotFoundType } from '../objects/user-error.ts';
import { asMember, memberOf } from '../result-union.ts';
import { invalidInput, notFound } from '../user-errors.ts';

const Input = builder.inputType('CreateApiTokenInput', {
  description: 'A token for a program.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What it is for, 1 to 255 characters.' }),
    scopes: t.field({ type: [ScopeType], required: true, description: 'What it may do.' }),
    repositoryId: t.field({ type: 'UUID', description: 'Binds it to one repository.' }),
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

const ResultType = builder.unionType('CreateApiTokenResult', {
  description: 'What came of it.',
  types: [CreatedType, InvalidInputType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('createApiToken', (t) =>
  t.field({
    type: ResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: Input, required: true, description: 'The token to make.' }) },
    description: 'Makes a token for a program of this tenant. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = CreateApiTokenInput.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const created = await createApiToken(context.ports.database, callerOf(context), parsed.data);
      return created.ok ? asMember('CreateApiTokenSuccess', created) : notFound('repository');
    },
  }),
);
