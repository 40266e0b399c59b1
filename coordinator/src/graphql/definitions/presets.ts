import type { VariableValue } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { presets } from '../../definitions/shared-kinds.ts';
import { builder } from '../builder.ts';
import { defineListed, type NamedSelect, sharedChanges, sharedColumns, visibleShared } from './definitions.ts';

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
    id: t.expose('id', { type: 'UUID', description: 'Id of the preset.' }),
    name: t.exposeString('name', { description: 'Name of the preset.' }),
    values: t.field({ type: 'JSON', description: 'The values, variable to value.', resolve: ({ values }) => values }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const CreatePresetInputType = builder.inputType('CreatePresetInput', {
  description: 'A named set of values.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the preset.' }),
    values: t.field({ type: 'JSON', required: true, description: 'The values, variable to value.' }),
  }),
});

const UpdatePresetInputType = builder.inputType('UpdatePresetInput', {
  description: 'What changes of a preset. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the preset.' }),
    values: t.field({ type: 'JSON', description: 'Variable to value, all of them.' }),
  }),
});

defineListed({
  type: PresetType,
  fields: { one: 'preset', many: 'presets' },
  words: { one: 'preset', many: 'presets', article: 'a' },
  select: selectPresets,
  scope: 'write',
  deleted: 'Runs that used it stay as they are.',
  ...sharedChanges(presets, { create: CreatePresetInputType, update: UpdatePresetInputType }),
});
