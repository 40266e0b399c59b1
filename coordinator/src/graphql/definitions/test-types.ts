import type { VariablesSchema } from '@proofmark/contracts/test-type';
import { type DescribedVariable, describeVariables } from '@proofmark/domain/describe-variables';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { testTypes } from '../../definitions/shared-kinds.ts';
import { builder, type InputFields } from '../builder.ts';
import { byId } from '../loaders.ts';
import {
  defineListed,
  type NamedSelect,
  readNamed,
  sharedChanges,
  sharedColumns,
  visibleShared,
} from './definitions.ts';

const testTypeColumns = {
  ...sharedColumns,
  description: column<string | null>(),
  variablesSchema: column<VariablesSchema | null>(),
  /** Names of the AI configurations that an entity variable may be. */
  entityValues: column<string[]>(sql`array(
      select distinct m.name from model_configurations m
      where m.deleted_at is null and (m.repository_id is null or m.repository_id = t.repository_id) order by m.name)`),
};

export type TestTypeView = RowOf<typeof testTypeColumns>;

const selectTestTypes = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<TestTypeView> => sql`
  select ${selectList('t', testTypeColumns)} from test_types t where ${visibleShared(caller)}`;

/** For a suite that names it: whoever may see the suite may see what it points at. */
export const testTypeById = byId((database, tenantId, ids) =>
  readNamed(database, tenantId, selectTestTypes({ repositoryId: null }), ids),
);

type Allowed = NonNullable<DescribedVariable['allowed']>[number];

const AllowedValueType = builder.objectRef<Allowed>('VariableChoice').implement({
  description: 'A value that a variable may have.',
  fields: (t) => ({
    value: t.field({ type: 'JSON', description: 'A value that the variable may have.', resolve: ({ value }) => value }),
    label: t.exposeString('label', { description: 'How lists show it; the value as text when it has none.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the value means, for people.' }),
  }),
});

const TestVariableType = builder.objectRef<DescribedVariable>('TestVariable').implement({
  description: 'A variable that tests of a type have, as somebody needs to know it to set it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the variable.' }),
    displayName: t.exposeString('displayName', { description: 'How lists show it.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the variable controls, for people.',
    }),
    dataType: t.exposeString('dataType', { description: 'string, number, boolean or date.' }),
    required: t.exposeBoolean('required', { description: 'Whether a test cannot run without a value.' }),
    locked: t.exposeBoolean('locked', { description: 'Whether the test refuses values of suites and runs.' }),
    defaultValue: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What counts when neither suite nor run says anything; null: nothing.',
      resolve: ({ defaultValue }) => defaultValue ?? null,
    }),
    possibleValues: t.field({
      type: [AllowedValueType],
      nullable: true,
      description: 'What it may be; null: any value of its type. AI configurations where the type asks for them.',
      resolve: ({ allowed }) => allowed,
    }),
  }),
});

export const TestTypeType = builder.objectRef<TestTypeView>('TestType').implement({
  description: 'Which variables a kind of test has. The type agent-eval is built in and in no list.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the test type.' }),
    name: t.exposeString('name', { description: 'What suites call it.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is for, in the words of its author.',
    }),
    variablesSchema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The variables as they were written: schemaVersion and variables; null: none.',
      resolve: ({ variablesSchema }) => variablesSchema,
    }),
    variables: t.field({
      type: [TestVariableType],
      description: 'The variables with what each may be now, AI configurations of the tenant included.',
      resolve: ({ variablesSchema, entityValues }) =>
        describeVariables({ type: variablesSchema, test: null, entityValues }),
    }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const optional = (t: InputFields) => ({
  description: t.string({ description: 'What it is for, in the words of its author.' }),
  variablesSchema: t.field({ type: 'JSON', description: 'schemaVersion 1.0 and the list of variables; absent: none.' }),
});

const CreateTestTypeInputType = builder.inputType('CreateTestTypeInput', {
  description: 'Which variables a kind of test has.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What suites call it.' }),
    ...optional(t),
  }),
});

const UpdateTestTypeInputType = builder.inputType('UpdateTestTypeInput', {
  description: 'What changes of a test type. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the test type.' }),
    ...optional(t),
  }),
});

defineListed({
  type: TestTypeType,
  fields: { one: 'testType', many: 'testTypes' },
  words: { one: 'test type', many: 'test types', article: 'a' },
  select: selectTestTypes,
  scope: 'write',
  deleted: 'Suites that name it stay and refuse to run until they name another.',
  ...sharedChanges(testTypes, { create: CreateTestTypeInputType, update: UpdateTestTypeInputType }),
});
