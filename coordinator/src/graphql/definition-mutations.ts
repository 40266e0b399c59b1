import type { FieldMap, InputRef } from '@pothos/core';
import type { Caller } from '../access/caller.ts';
import type { Database } from '../database/connect.ts';
import type { Change } from '../definitions/change.ts';
import { builder } from './builder.ts';
import { callerOf, type GraphqlContext } from './context.ts';
import { InvalidDefinitionsType, NotAllowedType, NotFoundType } from './objects/user-error.ts';
import { refusedChange } from './refused-change.ts';
import { asMember, memberOf } from './result-union.ts';

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
  remove: (database: Database, caller: Caller, id: string) => Promise<Change>;
}

/** A mutation that takes an input and changes one definition; whether the input makes sense is for the change to judge. */
interface InputMutation {
  input: InputRef<object>;
  change: (database: Database, caller: Caller, given: object) => Promise<Change>;
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
    done: 'It is stored.',
    description: `Stores ${kind.noun}, judged by the rules of definition files.${needs}`,
  });
  defineWithInput(kind, update, {
    name: `update${kind.name}`,
    done: 'It is changed.',
    description: `Changes ${kind.noun}: what is absent stays, null goes back to the default. What came from files is as in the files again after their next import.${needs}`,
  });
  defineDelete(kind, `Deletes ${kind.noun}. ${kind.deleted}${needs}`);
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
      args: { input: t.arg({ type: input, required: true, description: 'What it is.' }) },
      description,
      resolve: async (_root, given, context) => {
        const changed = await change(context.ports.database, callerOf(context), given.input);
        if (!changed.ok) return refusedChange(changed);
        const view = await read(context, changed.id);
        if (view === null) throw new Error(`${noun} vanished while it was changed`);
        return asMember(`${typeName}Success`, { view });
      },
    }),
  );
}

function defineDelete<View extends object>(
  { name, scope, remove, deleted }: DefinitionKind<View>,
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
      args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
      description,
      resolve: async (_root, { id }, context) => {
        const changed = await remove(context.ports.database, callerOf(context), id);
        return changed.ok ? asMember(typeName, { id }) : refusedChange(changed);
      },
    }),
  );
}
