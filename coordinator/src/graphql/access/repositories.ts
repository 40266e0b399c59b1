import { PinnedClaim } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import {
  EnrollRepositoryInput,
  enrollRepository,
  type RepositoryView,
  UpdateRepositoryInput,
  updateRepository,
} from '../../access/enroll-repository.ts';
import { readInTenant } from '../../database/transactions.ts';
import { ownRows } from '../../definitions/reach.ts';
import { builder } from '../builder.ts';
import { costOfPage, type PageRow, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { byId } from '../loaders.ts';
import { pageOf } from '../runs/run-filter.ts';
import {
  asMember,
  InvalidInputType,
  invalidInput,
  memberOf,
  NotAllowedType,
  NotFoundType,
  notAllowed,
  notFound,
} from '../user-errors.ts';
import { enumOf } from '../words.ts';

type ListedRepository = RepositoryView & PageRow;

const installationOf = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; installationId: string | null }>`
      select id, installation_id as "installationId" from repositories where id = any(${ids}::uuid[])`,
  ),
);

const ClaimType = enumOf<PinnedClaim>('PinnedClaim', 'What the token of a CI job says of it beside its repository.', {
  job_workflow_ref: 'The workflow file that the job stands in, with its ref: a reusable one, or its own.',
  environment: 'The environment of the forge that the job was let into.',
  runner_environment: 'Whose machine it runs on: github-hosted or self-hosted.',
});

interface ClaimPin {
  claim: PinnedClaim;
  value: string;
}

const PinType = builder.objectRef<ClaimPin>('ClaimPin').implement({
  description: 'What the token of a job has to say, else the job is refused.',
  fields: (t) => ({
    claim: t.expose('claim', { type: ClaimType, description: 'Which claim of the token it is about.' }),
    value: t.exposeString('value', { description: 'The text that it says; * at its end stands for anything.' }),
  }),
});

export const RepositoryType = builder.objectRef<RepositoryView>('Repository').implement({
  description: 'A repository whose jobs may start runs.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the repository in this ledger.' }),
    host: t.exposeString('host', { description: 'The forge, such as github.com.' }),
    repositoryId: t.exposeString('externalId', { description: 'Its number on the forge.' }),
    ownerId: t.exposeString('ownerExternalId', { description: 'The number of its owner.' }),
    fullName: t.exposeString('fullName', { description: 'Owner and name, as they were last seen.' }),
    defaultBranch: t.exposeString('defaultBranch', {
      nullable: true,
      description: 'The branch whose runs others are compared with.',
    }),
    baselineBranches: t.exposeStringList('baselineBranches', {
      description: 'Further branches whose runs others are compared with, as an admin named them.',
    }),
    installationId: t.string({
      nullable: true,
      complexity: 1,
      description: 'Number of the installation by which the Proofmark App reaches it; null: it is not installed there.',
      resolve: async ({ id }, _args, context) => (await installationOf(context, id))?.installationId ?? null,
    }),
    claimPins: t.field({
      type: [PinType],
      complexity: 0,
      description: 'What tokens of its jobs have to say beside its numbers; empty: nothing.',
      resolve: ({ claimPins }) =>
        PinnedClaim.options.flatMap((claim) => {
          const value = claimPins?.[claim];
          return value === undefined ? [] : [{ claim, value }];
        }),
    }),
  }),
});

const columns = sql`
  p.id, p.host, p.external_id as "externalId", p.owner_external_id as "ownerExternalId", p.full_name as "fullName",
  p.default_branch as "defaultBranch", p.baseline_branches as "baselineBranches", p.claim_pins as "claimPins"`;

/** For what belongs to it: whoever may see that may see its repository. */
export const repositoryById = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<RepositoryView>`select ${columns} from repositories p where p.id = any(${ids}::uuid[])`,
  ),
);

const RepositoryConnectionType = builder.connectionObject(
  { type: RepositoryType, name: 'RepositoryConnection', description: 'A page of repositories.' },
  { name: 'RepositoryEdge', description: 'A row of a page of repositories.' },
);

builder.queryField('repositories', (t) =>
  t.field({
    type: RepositoryConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The repositories of the tenant whose jobs may start runs, newest first.',
    resolve: (_root, page, context) =>
      readPage(context, 'repositories', page, async (request) => {
        const caller = callerOf(context);
        const { from, rest, position } = pageOf({ key: sql`p.created_at`, id: sql`p.id`, isDescending: true }, request);
        const rows = await readInTenant(
          context.ports.database,
          caller.tenantId,
          sql<ListedRepository>`
            select ${columns}, ${position} as position
            from repositories p where ${ownRows(caller, sql`p.id`)} and ${from} ${rest}`,
        );
        return toPage(request, rows);
      }),
  }),
);

const Input = builder.inputType('EnrollRepositoryInput', {
  description: 'A repository whose jobs may start runs.',
  fields: (t) => ({
    host: t.string({ required: true, description: 'The forge, such as github.com.' }),
    repositoryId: t.string({ required: true, description: 'Number of the repository on the forge.' }),
    ownerId: t.string({ required: true, description: 'Number of its owner. Jobs of another owner are refused.' }),
    fullName: t.string({ description: 'Owner and name; display text only.' }),
    defaultBranch: t.string({ description: 'The branch whose runs others are compared with.' }),
    baselineBranches: t.stringList({
      description: 'Further branches whose runs others are compared with. Absent: those that are known stay.',
    }),
    proof: t.string({
      description:
        'OIDC token of a job of this repository, made for the audience of this coordinator. It is used up. Needed unless the tenant has the repository already, of the same owner.',
    }),
  }),
});

const EnrolledType = builder.objectRef<{ repository: RepositoryView }>('EnrollRepositorySuccess').implement({
  description: 'Its jobs are let in.',
  fields: (t) => ({
    repository: t.field({
      type: RepositoryType,
      description: 'The repository whose jobs are let in.',
      resolve: ({ repository }) => repository,
    }),
  }),
});

const ResultType = builder.unionType('EnrollRepositoryResult', {
  description: 'What came of it.',
  types: [EnrolledType, InvalidInputType, NotAllowedType],
  resolveType: memberOf,
});

const whyNot = {
  UNPROVEN:
    'A token of an admin alone cannot enrol this repository. Send an OIDC token of one of its jobs as `proof`, or install the Proofmark App: then its first job enrols it. The operator may let admins enrol with PROOFMARK_ALLOW_ADMIN_ENROLL.',
  WRONG_PROOF:
    'The proof is no token that a job of this repository and owner was given for the audience of this coordinator within the last minutes, or it was used before.',
  TAKEN: 'Another tenant of this coordinator has this repository. Ask the operator to release it.',
  UNAVAILABLE: 'The proof cannot be checked, because the keys of its issuer cannot be read. Try again later.',
} as const;

builder.mutationField('enrollRepository', (t) =>
  t.field({
    type: ResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: Input, required: true, description: 'The repository whose jobs are let in.' }) },
    description:
      'Lets the jobs of a repository in, given proof that it is yours. Doing it again takes over a new owner. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = EnrollRepositoryInput.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const enrolled = await enrollRepository(context.ports.enrolment, callerOf(context), parsed.data);
      if (enrolled.ok) return asMember('EnrollRepositorySuccess', { repository: enrolled.repository });
      return notAllowed(whyNot[enrolled.error.code]);
    },
  }),
);

const PinInput = builder.inputType('ClaimPinInput', {
  description: 'What the token of a job has to say, else the job is refused.',
  fields: (t) => ({
    claim: t.field({ type: ClaimType, required: true, description: 'Which claim of the token it is about.' }),
    value: t.string({ required: true, description: 'The text that it says; * at its end stands for anything.' }),
  }),
});

const UpdateInput = builder.inputType('UpdateRepositoryInput', {
  description: 'What changes of a repository; what is absent stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the repository in this ledger.' }),
    defaultBranch: t.string({ description: 'The branch whose runs others are compared with.' }),
    baselineBranches: t.stringList({ description: 'Further branches whose runs others are compared with.' }),
    claimPins: t.field({ type: [PinInput], description: 'All that tokens of its jobs have to say; empty: nothing.' }),
  }),
});

const UpdatedType = builder.objectRef<{ repository: RepositoryView }>('UpdateRepositorySuccess').implement({
  description: 'It counts from the next job on.',
  fields: (t) => ({
    repository: t.field({
      type: RepositoryType,
      description: 'The repository as it is now.',
      resolve: ({ repository }) => repository,
    }),
  }),
});

const UpdatedResultType = builder.unionType('UpdateRepositoryResult', {
  description: 'What came of the change.',
  types: [UpdatedType, InvalidInputType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('updateRepository', (t) =>
  t.field({
    type: UpdatedResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'What is asked of the repository.' }) },
    description:
      'Says anew which branches of a repository count, and which of its jobs are let in. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = UpdateRepositoryInput.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const repository = await updateRepository(context.ports.database, callerOf(context), parsed.data);
      return repository === null ? notFound('repository') : asMember('UpdateRepositorySuccess', { repository });
    },
  }),
);
