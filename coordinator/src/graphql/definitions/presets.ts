import type { VariableValue } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { createShared, deleteShared, updateShared } from '../../definitions/change-shared.ts';
import { presets } from '../../definitions/shared-kinds.ts';
import { builder } from '../builder.ts';
import { costOfPage, pageArguments } from '../connection.ts';
import {
  defineMutations,
  definitionPage,
  definitionRow,
  type NamedSelect,
  sharedColumns,
  visibleShared,
} from './definitions.ts';

const presetColumns = {
  ...sharedColumns,
  values: column<Record<string, VariableValue>>(),
};

type PresetView = RowOf<typeof presetColumns>;

const selectPresets = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<PresetView> => sql`
  select ${selectList('t', presetColumns)} from presets t where ${visibleShared(caller)}`;

const PresetType = builder.objectRef<PresetView>('Preset').implement({
  description: 'A named set of variable values, given to a run as if each had been given by itself.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    values: t.field({ type: 'JSON', description: 'Variable to value.', resolve: ({ values }) => values }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const PresetConnectionType = builder.connectionObject(
  { type: PresetType, name: 'PresetConnection', description: 'A page of presets.' },
  { name: 'PresetEdge', description: 'A row of a page of presets.' },
);

builder.queryFields((t) => ({
  preset: t.field({
    type: PresetType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
    description: 'One preset; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await definitionRow(context, selectPresets, id),
  }),
  presets: t.field({
    type: PresetConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The presets of the tenant by name.',
    resolve: async (_root, page, context) => await definitionPage(context, 'presets', page, selectPresets),
  }),
}));

const CreatePresetInputType = builder.inputType('CreatePresetInput', {
  description: 'A named set of values.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its name.' }),
    values: t.field({ type: 'JSON', required: true, description: 'Variable to value.' }),
  }),
});

const UpdatePresetInputType = builder.inputType('UpdatePresetInput', {
  description: 'What changes of a preset. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    values: t.field({ type: 'JSON', description: 'Variable to value, all of them.' }),
  }),
});

defineMutations<PresetView>(
  {
    name: 'Preset',
    noun: 'a preset',
    scope: 'write',
    deleted: 'Runs that used it stay as they are.',
    shows: (t) => ({
      preset: t.field({ type: PresetType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => definitionRow(context, selectPresets, id),
    remove: (database, caller, id) => deleteShared(database, caller, presets, id),
  },
  { input: CreatePresetInputType, change: (database, caller, given) => createShared(database, caller, presets, given) },
  { input: UpdatePresetInputType, change: (database, caller, given) => updateShared(database, caller, presets, given) },
);
