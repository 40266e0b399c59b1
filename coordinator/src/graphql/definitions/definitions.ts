import type { FieldMap, InputRef, ObjectRef } from '@pothos/core';
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { column } from '../../database/row.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import type { Changed, Refused } from '../../definitions/change.ts';
import { createShared, deleteShared, updateShared } from '../../definitions/change-shared.ts';
import { sharedRows } from '../../definitions/reach.ts';
import { type HiddenKind, restoreDefinition } from '../../definitions/restore.ts';
import type { SharedKind } from '../../definitions/shared-kinds.ts';
import { builder } from '../builder.ts';
import {
  type Connection,
  costOfPage,
  type PageOf,
  type PageRequest,
  type PageRow,
  pageArguments,
  readPage,
  toPage,
} from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import {
  asMember,
  InvalidDefinitionsType,
  memberOf,
  NotAllowedType,
  NotFoundType,
  notAllowed,
  notFound,
} from '../user-errors.ts';

/** A definition as lists have it: under its name. */
interface Named {
  id: string;
  name: string;
}

/** The same as a row of a page. */
type Placed<Row extends Named> = Row & PageRow;

/** A select that yields at least `id` and `name` of every row that the caller may see. */
export type NamedSelect<Row extends Named> = RawBuilder<Row>;

/** A page of the rows in the order of their names. */
async function listByName<Row extends Named>(
  database: Database,
  tenantId: string,
  select: NamedSelect<Row>,
  page: PageRequest,
): Promise<PageOf<Placed<Row>>> {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [name, id] = page.from ?? [];
  const after = page.from === null ? sql`true` : sql`(q.name, q.id) ${comparison} (${name}, ${id}::uuid)`;
  const rows = await readInTenant(
    database,
    tenantId,
    sql<Placed<Row>>`
      select q.*, array[q.name, q.id::text] as position from (${select}) q
      where ${after} order by q.name ${direction}, q.id ${direction} limit ${page.size + 1}`,
  );
  return toPage(page, rows);
}

/** The rows with these ids, in no order. */
export async function readNamed<Row extends Named>(
  database: Database,
  tenantId: string,
  select: NamedSelect<Row>,
  ids: readonly string[],
): Promise<Row[]> {
  return await readInTenant(
    database,
    tenantId,
    sql<Placed<Row>>`
      select q.*, array[q.name, q.id::text] as position from (${select}) q where q.id = any(${ids}::uuid[])`,
  );
}

/** The columns of a definition that project files share: of one repository, or of the whole tenant. */
export const sharedColumns = {
  id: column<string>(),
  name: column<string>(),
  /** Whose project file it stands in; null: the tenant's own. */
  repositoryId: column<string | null>(),
  createdAt: column<string>(),
  updatedAt: column<string>(),
};

/** The rows of `t` that the caller may see. */
export const visibleShared = (caller: Pick<Caller, 'repositoryId'>) =>
  sql`t.deleted_at is null and ${sharedRows(caller, sql`t.repository_id`)}`;

type SelectFor<Row extends Named> = (caller: Caller) => NamedSelect<Row>;

/** The definition with this id, or null when there is none that the caller may see. */
async function definitionRow<Row extends Named>(
  context: GraphqlContext,
  select: SelectFor<Row>,
  id: string,
): Promise<Row | null> {
  const caller = callerOf(context);
  const rows = await readNamed(context.ports.database, caller.tenantId, select(caller), [id]);
  return rows[0] ?? null;
}

/** A page of definitions by name. */
async function definitionPage<Row extends Named>(
  context: GraphqlContext,
  list: string,
  page: unknown,
  select: SelectFor<Row>,
): Promise<Connection<Placed<Row>>> {
  const caller = callerOf(context);
  return await readPage(
    context,
    list,
    page,
    async (request) => await listByName(context.ports.database, caller.tenantId, select(caller), request),
  );
}

/** The member of a result that says why a definition was not changed. */
export function refusedMember({ error }: Refused) {
  switch (error.code) {
    case 'NOT_FOUND':
      return notFound(error.what);
    case 'FORBIDDEN':
      return notAllowed(error.message);
    case 'INVALID_DEFINITIONS': {
      const words = error.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
      return asMember('InvalidDefinitions', { code: error.code, message: words.join('; '), problems: error.problems });
    }
  }
}

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer SchemaTypes> ? SchemaTypes : never;

/** One kind of definition, and what its mutations need. */
interface DefinitionKind<View extends object> {
  /** As in `createTestType`. */
  name: string;
  /** In sentences, with its article. */
  noun: string;
  scope: 'write' | 'admin';
  /** What goes when it is deleted. */
  deleted: string;
  /** The fields of a success. */
  shows: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, { view: View }>) => FieldMap;
  read: (context: GraphqlContext, id: string) => Promise<View | null>;
  remove: (database: Database, caller: Caller, id: string) => Promise<Changed>;
  /** Where its rows stand, hidden or not. */
  table: HiddenKind;
}

/** A mutation that takes an input and changes one definition; whether the input makes sense is for the change to judge. */
interface InputMutation {
  input: InputRef<object>;
  change: (database: Database, caller: Caller, given: object) => Promise<Changed>;
}

/** The mutations that create, change and delete one kind of definition, each with a result of its own. */
export function defineMutations<View extends object>(
  kind: DefinitionKind<View>,
  create: InputMutation,
  update: InputMutation,
): void {
  const needs = kind.scope === 'admin' ? ' Needs the scope admin.' : '';
  defineWithInput(kind, create, {
    name: `create${kind.name}`,
    done: 'What was made is stored and counts from the next run on.',
    description: `Stores ${kind.noun}, judged by the rules of definition files.${needs}`,
  });
  defineWithInput(kind, update, {
    name: `update${kind.name}`,
    done: 'What was asked for is changed and counts from the next run on.',
    description: `Changes ${kind.noun}: what is absent stays, null goes back to the default. What came from files is as in the files again after their next import.${needs}`,
  });
  defineDelete(kind, `Deletes ${kind.noun}. ${kind.deleted}${needs}`);
  defineRestore(kind, `Shows ${kind.noun} again that was deleted, as it was then.${needs}`);
}

type Words = { name: string; done: string; description: string };

function defineWithInput<View extends object>(
  { noun, scope, shows, read }: DefinitionKind<View>,
  { input, change }: InputMutation,
  { name, done, description }: Words,
): void {
  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const success = builder
    .objectRef<{ view: View }>(`${typeName}Success`)
    .implement({ description: done, fields: (t) => shows(t) });
  const result = builder.unionType(`${typeName}Result`, {
    description: 'What came of it.',
    types: [success, InvalidDefinitionsType, NotFoundType, NotAllowedType],
    resolveType: memberOf,
  });
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      authScopes: { [scope]: true },
      args: { input: t.arg({ type: input, required: true, description: `What is asked of ${noun}.` }) },
      description,
      resolve: async (_root, given, context) => {
        const changed = await change(context.ports.database, callerOf(context), given.input);
        if (!changed.ok) return refusedMember(changed);
        const view = await read(context, changed.id);
        if (view === null) throw new Error(`${noun} vanished while it was changed`);
        return asMember(`${typeName}Success`, { view });
      },
    }),
  );
}

function defineDelete<View extends object>(
  { name, noun, scope, remove, deleted }: DefinitionKind<View>,
  description: string,
): void {
  const typeName = `Delete${name}Success`;
  const success = builder.objectRef<{ id: string }>(typeName).implement({
    description: deleted,
    fields: (t) => ({ id: t.expose('id', { type: 'UUID', description: 'Id of what was deleted.' }) }),
  });
  const result = builder.unionType(`Delete${name}Result`, {
    description: 'What came of it.',
    types: [success, NotFoundType, NotAllowedType, InvalidDefinitionsType],
    resolveType: memberOf,
  });
  builder.mutationField(`delete${name}`, (t) =>
    t.field({
      type: result,
      authScopes: { [scope]: true },
      args: { id: t.arg({ type: 'UUID', required: true, description: `Id of ${noun}.` }) },
      description,
      resolve: async (_root, { id }, context) => {
        const changed = await remove(context.ports.database, callerOf(context), id);
        return changed.ok ? asMember(typeName, { id }) : refusedMember(changed);
      },
    }),
  );
}

function defineRestore<View extends object>(
  { name, noun, scope, shows, read, table }: DefinitionKind<View>,
  description: string,
): void {
  const typeName = `Restore${name}Success`;
  const success = builder
    .objectRef<{ view: View }>(typeName)
    .implement({ description: 'What was deleted is there again.', fields: (t) => shows(t) });
  const result = builder.unionType(`Restore${name}Result`, {
    description: 'What came of it.',
    types: [success, NotFoundType, NotAllowedType, InvalidDefinitionsType],
    resolveType: memberOf,
  });
  builder.mutationField(`restore${name}`, (t) =>
    t.field({
      type: result,
      authScopes: { [scope]: true },
      args: { id: t.arg({ type: 'UUID', required: true, description: `Id of ${noun} that was deleted.` }) },
      description,
      resolve: async (_root, { id }, context) => {
        const restored = await restoreDefinition(context.ports.database, callerOf(context), table, id);
        if (!restored.ok) return refusedMember(restored);
        const view = await read(context, id);
        if (view === null) throw new Error(`${noun} vanished while it was restored`);
        return asMember(typeName, { view });
      },
    }),
  );
}

/** A kind of definition that lists show by name and mutations change. */
interface ListedKind {
  type: ObjectRef<Types, Named>;
  /** As in `testType(id)` and `testTypes`. */
  fields: { one: string; many: string };
  /** In sentences. */
  words: { one: string; many: string; article: 'a' | 'an' };
  select: SelectFor<Named>;
  scope: DefinitionKind<Named>['scope'];
  deleted: string;
  remove: DefinitionKind<Named>['remove'];
  table: HiddenKind;
  create: InputMutation;
  update: InputMutation;
}

/** Everything that a kind of definition has in the schema beside its type: one by id, all by name, and its mutations. */
export function defineListed(kind: ListedKind): void {
  const { type, fields, words, select, scope, deleted, remove, table, create, update } = kind;
  const name = `${fields.one.charAt(0).toUpperCase()}${fields.one.slice(1)}`;
  const connection = builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of ${words.many}.` },
    { name: `${name}Edge`, description: `A row of a page of ${words.many}.` },
  );
  builder.queryField(fields.one, (t) =>
    t.field({
      type,
      nullable: true,
      authScopes: { readAll: true },
      args: { id: t.arg({ type: 'UUID', required: true, description: `Id of the ${words.one}.` }) },
      description: `One ${words.one}; null when there is none with this id.`,
      resolve: async (_root, { id }, context) => await definitionRow(context, select, id),
    }),
  );
  builder.queryField(fields.many, (t) =>
    t.field({
      type: connection,
      authScopes: { readAll: true },
      args: pageArguments(),
      complexity: costOfPage,
      description: `The ${words.many} of the tenant by name.`,
      resolve: async (_root, page, context) => await definitionPage(context, fields.many, page, select),
    }),
  );
  defineMutations<Named>(
    {
      name,
      noun: `${words.article} ${words.one}`,
      scope,
      deleted,
      shows: (t) => ({
        [fields.one]: t.field({ type, description: 'As it is now.', resolve: ({ view }) => view }),
      }),
      read: (context, id) => definitionRow(context, select, id),
      remove,
      table,
    },
    create,
    update,
  );
}

/** How a kind that suites name is created, changed and deleted. */
export const sharedChanges = <Definition>(
  kind: SharedKind<Definition>,
  inputs: { create: InputMutation['input']; update: InputMutation['input'] },
): Pick<ListedKind, 'create' | 'update' | 'remove' | 'table'> => ({
  table: kind.table,
  create: { input: inputs.create, change: (database, caller, given) => createShared(database, caller, kind, given) },
  update: { input: inputs.update, change: (database, caller, given) => updateShared(database, caller, kind, given) },
  remove: (database, caller, id) => deleteShared(database, caller, kind, id),
});
