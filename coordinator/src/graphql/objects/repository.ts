import type { RepositoryView } from '../../access/enroll-repository.ts';
import { builder } from '../builder.ts';

export const RepositoryType = builder.objectRef<RepositoryView>('Repository').implement({
  description: 'A repository whose jobs may start runs.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id here.' }),
    host: t.exposeString('host', { description: 'The forge, such as github.com.' }),
    repositoryId: t.exposeString('externalId', { description: 'Its number on the forge.' }),
    ownerId: t.exposeString('ownerExternalId', { description: 'The number of its owner.' }),
    fullName: t.exposeString('fullName', { description: 'Owner and name, as they were last seen.' }),
    defaultBranch: t.exposeString('defaultBranch', {
      nullable: true,
      description: 'The branch whose runs others are compared with.',
    }),
  }),
});
