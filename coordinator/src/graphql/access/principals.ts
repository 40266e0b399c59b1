import type { Role } from '@proofmark/contracts/words';
import { z } from 'zod';
import {
  addPrincipal,
  type CreatedTenant,
  changePrincipal,
  createTenant,
  listPrincipals,
  NewPerson,
  operatorTenant,
  type Person,
  TenantName,
} from '../../access/create-principals.ts';
import { scopesOfRole } from '../../access/principal-roles.ts';
import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage, toPage } from '../connection.ts';
import { callerOf } from '../context.ts';
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
import { enumOf, ScopeType } from '../words.ts';
import { readViewerNames } from './viewer.ts';

const RoleType = enumOf<Role>('Role', 'What somebody may be. It bounds what tokens and sessions of theirs may do.', {
  admin: 'May do everything in the tenant.',
  writer:
    'Reads and starts runs, and changes agents, suites and cases; not what the whole tenant shares, nor people and tokens.',
  reader: 'Reads runs and what is tested.',
  ci: 'Starts runs, base runs and those of pull requests, and reads them.',
  runner: 'Asks nothing of the API: it has the key of a runner.',
});

const PrincipalKindType = enumOf<Person['kind']>('PrincipalKind', 'Whether somebody is a person.', {
  person: 'A person, who may sign in.',
  service: 'A program, or a CI job.',
});

const PersonType = builder.objectRef<Person>('Person').implement({
  description: 'A person or a service of this tenant. What is made with a token of theirs was made by them.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the person or service.' }),
    login: t.exposeString('login', { description: 'Their login, unique in the tenant.' }),
    displayName: t.exposeString('displayName', { nullable: true, description: 'How they are called.' }),
    kind: t.expose('kind', { type: PrincipalKindType, description: 'Whether it is a person.' }),
    role: t.expose('role', { type: RoleType, description: 'What they may be.' }),
    scopes: t.field({
      type: [ScopeType],
      description: 'What a token of theirs may do at the most.',
      resolve: ({ role }) => [...scopesOfRole(role)],
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when nothing of theirs opens anything; null: they may act.',
    }),
  }),
});

const PersonConnectionType = builder.connectionObject(
  { type: PersonType, name: 'PersonConnection', description: 'A page of people and services.' },
  { name: 'PersonEdge', description: 'A row of a page of people and services.' },
);

builder.queryField('people', (t) =>
  t.field({
    type: PersonConnectionType,
    authScopes: { admin: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The people and services of this tenant, by their logins. Needs the scope admin.',
    resolve: (_root, page, context) =>
      readPage(context, 'people', page, async (request) =>
        toPage(request, await listPrincipals(context.ports.database, callerOf(context).tenantId, request)),
      ),
  }),
);

const PersonInputType = builder.inputType('CreatePersonInput', {
  description: 'Somebody who works with this tenant.',
  fields: (t) => ({
    login: t.string({ required: true, description: '1 to 100 letters, digits or . _ @ + -, unique in the tenant.' }),
    displayName: t.string({ description: 'How they are called.' }),
    role: t.field({ type: RoleType, description: 'What they may be; absent: WRITER.' }),
  }),
});

const PersonCreatedType = builder.objectRef<{ person: Person }>('CreatePersonSuccess').implement({
  description: 'The person or service was made.',
  fields: (t) => ({
    person: t.field({ type: PersonType, description: 'What is known of them.', resolve: ({ person }) => person }),
  }),
});

const PersonResultType = builder.unionType('CreatePersonResult', {
  description: 'What came of it.',
  types: [PersonCreatedType, InvalidInputType],
  resolveType: memberOf,
});

/** One argument that nothing is wrong with but what is there already. */
const inUse = ({ path, code, message }: { path: string; code: string; message: string }) =>
  asMember('InvalidInput', { code: 'INVALID_INPUT', message, problems: [{ path, code, message }] });

for (const [field, kind, description] of [
  ['createPerson', 'person', 'Makes a person of this tenant, who may sign in by name where the operator lets them;'],
  ['createService', 'service', 'Makes a service of this tenant: a program with an identity of its own;'],
] as const) {
  builder.mutationField(field, (t) =>
    t.field({
      type: PersonResultType,
      authScopes: { admin: true },
      args: { input: t.arg({ type: PersonInputType, required: true, description: 'The name and rights to give.' }) },
      description: `${description} createApiToken makes a token for them. Needs the scope admin.`,
      resolve: async (_root, { input }, context) => {
        const parsed = NewPerson.safeParse({ ...input, role: input.role ?? undefined });
        if (!parsed.success) return invalidInput(parsed.error, input);
        const created = await addPrincipal(context.ports.database, callerOf(context), { ...parsed.data, kind });
        return created.ok ? asMember('CreatePersonSuccess', { person: created.made }) : inUse(created);
      },
    }),
  );
}

const ChangedType = builder.objectRef<{ person: Person }>('ChangePersonSuccess').implement({
  description: 'It counts from their next request on.',
  fields: (t) => ({
    person: t.field({ type: PersonType, description: 'What is known of them now.', resolve: ({ person }) => person }),
  }),
});

const ChangedResultType = builder.unionType('ChangePersonResult', {
  description: 'What came of the change.',
  types: [ChangedType, NotFoundType, NotAllowedType],
  resolveType: memberOf,
});

builder.mutationField('changePerson', (t) =>
  t.field({
    type: ChangedResultType,
    authScopes: { admin: true },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'Id of the person or service.' }),
      role: t.arg({ type: RoleType, description: 'What they may be from now on; absent: as it is.' }),
      isDisabled: t.arg.boolean({ description: 'Whether nothing of theirs opens anything; absent: as it is.' }),
    },
    description:
      'Changes what a person or service may be, or disables them with all their tokens and sessions. Nobody does it to himself. Needs the scope admin.',
    resolve: async (_root, { id, role, isDisabled }, context) => {
      const caller = callerOf(context);
      if (id === caller.userId) return notAllowed('Somebody else has to do that: nobody changes his own role.');
      const person = await changePrincipal(context.ports.database, caller, {
        ...{ id, role: role ?? undefined, isDisabled: isDisabled ?? undefined },
      });
      return person === null ? notFound('person or service') : asMember('ChangePersonSuccess', { person });
    },
  }),
);

const TenantCreatedType = builder.objectRef<CreatedTenant>('CreateTenantSuccess').implement({
  description: 'The tenant was made.',
  fields: (t) => ({
    tenant: t.exposeString('tenant', { description: 'Name of the tenant.' }),
    tenantId: t.expose('tenantId', { type: 'UUID', description: 'Id of the tenant.' }),
    token: t.exposeString('token', { description: 'An admin token for it. It is shown this once and stored nowhere.' }),
  }),
});

const TenantResultType = builder.unionType('CreateTenantResult', {
  description: 'What came of it.',
  types: [TenantCreatedType, InvalidInputType, NotAllowedType],
  resolveType: memberOf,
});

builder.mutationField('createTenant', (t) =>
  t.field({
    type: TenantResultType,
    authScopes: { admin: true },
    args: { name: t.arg.string({ required: true, description: '1 to 40 of a-z, 0-9 and -, unique.' }) },
    description: `Makes a tenant and a first admin token for it. Needs the scope admin in the tenant ${operatorTenant}, the operator's own.`,
    resolve: async (_root, { name }, context) => {
      const { database } = context.ports;
      const { tenant } = await readViewerNames(database, callerOf(context));
      if (tenant !== operatorTenant) return notAllowed(`Only an admin of the tenant ${operatorTenant} makes tenants.`);
      const parsed = z.strictObject({ name: TenantName }).safeParse({ name });
      if (!parsed.success) return invalidInput(parsed.error, { name });
      const created = await createTenant(database, { name, mayExist: false });
      return created.ok ? asMember('CreateTenantSuccess', created.made) : inUse(created);
    },
  }),
);
