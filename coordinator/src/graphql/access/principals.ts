import { z } from 'zod';
import {
  addPerson,
  type CreatedTenant,
  createTenant,
  NewPerson,
  operatorTenant,
  type Person,
  TenantName,
} from '../../access/create-principals.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { asMember, InvalidInputType, invalidInput, memberOf, NotAllowedType, notAllowed } from '../user-errors.ts';
import { readViewerNames } from './viewer.ts';

const PersonType = builder.objectRef<Person>('Person').implement({
  description: 'Somebody of this tenant. What is made with a token of theirs was made by them.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the person.' }),
    login: t.exposeString('login', { description: 'Their login, unique in the tenant.' }),
    displayName: t.exposeString('displayName', { nullable: true, description: 'How they are called.' }),
  }),
});

const PersonInputType = builder.inputType('CreatePersonInput', {
  description: 'Somebody who works with this tenant.',
  fields: (t) => ({
    login: t.string({ required: true, description: '1 to 100 letters, digits or . _ @ + -, unique in the tenant.' }),
    displayName: t.string({ description: 'How they are called.' }),
  }),
});

const PersonCreatedType = builder.objectRef<{ person: Person }>('CreatePersonSuccess').implement({
  description: 'The person was made.',
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

builder.mutationField('createPerson', (t) =>
  t.field({
    type: PersonResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: PersonInputType, required: true, description: 'Who the new person is.' }) },
    description: 'Makes a person of this tenant; createApiToken makes a token for them. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = NewPerson.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const created = await addPerson(context.ports.database, callerOf(context), parsed.data);
      return created.ok ? asMember('CreatePersonSuccess', { person: created.made }) : inUse(created);
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
