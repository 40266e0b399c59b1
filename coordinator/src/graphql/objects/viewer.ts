import type { Caller } from '../../access/caller.ts';
import { builder } from '../builder.ts';
import type { ViewerNames } from '../read/viewer-names.ts';
import { ScopeType } from './scope.ts';

export const ViewerType = builder.objectRef<Caller & ViewerNames>('Viewer').implement({
  description: 'Who sends this request.',
  fields: (t) => ({
    tenant: t.exposeString('tenant', { description: 'Name of the tenant: everything that is seen belongs to it.' }),
    login: t.exposeString('login', { description: 'Login of the user that the token acts for.' }),
    kind: t.string({
      description: 'api for a token of a program, run for the token of a CI job.',
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
