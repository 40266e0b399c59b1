import { revokeApiToken } from '../../access/revoke-api-token.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { NotFoundType } from '../objects/user-error.ts';
import { asMember, memberOf } from '../result-union.ts';
import { notFound } from '../user-errors.ts';

const RevokedType = builder.objectRef<{ id: string }>('RevokeApiTokenSuccess').implement({
  description: 'The token opens nothing any more.',
  fields: (t) => ({ id: t.expose('id', { type: 'UUID', description: 'Id of the token.' }) }),
});

const ResultType = builder.unionType('RevokeApiTokenResult', {
  description: 'What came of it.',
  types: [RevokedType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('revokeApiToken', (t) =>
  t.field({
    type: ResultType,
    authScopes: { admin: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the token.' }) },
    description: 'Ends a token at once. Doing it again changes nothing. Needs the scope admin.',
    resolve: async (_root, { id }, context) => {
      const isRevoked = await revokeApiToken(context.ports.database, callerOf(context), id);
      return isRevoked ? asMember('RevokeApiTokenSuccess', { id }) : notFound('token');
    },
  }),
);
