import type { ApiTokenView } from '../../access/create-api-token.ts';
import { builder } from '../builder.ts';
import { ScopeType } from './scope.ts';

export const ApiTokenType = builder.objectRef<ApiTokenView>('ApiToken').implement({
  description: 'A token of a program, without the token itself.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id, for revokeApiToken.' }),
    name: t.exposeString('name', { description: 'What it is for.' }),
    scopes: t.field({ type: [ScopeType], description: 'What it may do.', resolve: ({ scopes }) => scopes }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends; null: never.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});
