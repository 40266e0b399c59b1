import { EnrollRepositoryInput, enrollRepository, type RepositoryView } from '../../access/enroll-repository.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { RepositoryType } from '../objects/repository.ts';
import { InvalidInputType, NotAllowedType } from '../objects/user-error.ts';
import { asMember, memberOf } from '../result-union.ts';
import { invalidInput, notAllowed } from '../user-errors.ts';

const Input = builder.inputType('EnrollRepositoryInput', {
  description: 'A repository whose jobs may start runs.',
  fields: (t) => ({
    host: t.string({ required: true, description: 'The forge, such as github.com.' }),
    repositoryId: t.string({ required: true, description: 'Number of the repository on the forge.' }),
    ownerId: t.string({ required: true, description: 'Number of its owner. Jobs of another owner are refused.' }),
    fullName: t.string({ description: 'Owner and name; display text only.' }),
    defaultBranch: t.string({ description: 'The branch whose runs others are compared with.' }),
  }),
});

const EnrolledType = builder.objectRef<{ repository: RepositoryView }>('EnrollRepositorySuccess').implement({
  description: 'Its jobs are let in.',
  fields: (t) => ({
    repository: t.field({
      type: RepositoryType,
      description: 'The repository.',
      resolve: ({ repository }) => repository,
    }),
  }),
});

const ResultType = builder.unionType('EnrollRepositoryResult', {
  description: 'What came of it.',
  types: [EnrolledType, InvalidInputType, NotAllowedType],
  resolveType: memberOf,
});

builder.mutationField('enrollRepository', (t) =>
  t.field({
    type: ResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: Input, required: true, description: 'The repository.' }) },
    description: 'Lets the jobs of a repository in. Doing it again takes over a new owner. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = EnrollRepositoryInput.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const enrolled = await enrollRepository(context.ports.database, callerOf(context), parsed.data);
      if (enrolled.ok) return asMember('EnrollRepositorySuccess', { repository: enrolled.repository });
      return notAllowed('This repository cannot be enrolled here.');
    },
  }),
);
