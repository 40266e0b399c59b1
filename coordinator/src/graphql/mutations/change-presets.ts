import { createShared, deleteShared, updateShared } from '../../definitions/change-shared.ts';
import { presets } from '../../definitions/shared-kinds.ts';
import { defineMutations } from '../definition-mutations.ts';
import { definitionRow } from '../definition-rows.ts';
import { CreatePresetInputType, UpdatePresetInputType } from '../inputs/preset-inputs.ts';
import { PresetType } from '../objects/preset.ts';
import { type PresetView, selectPresets } from '../read/shared-definition-views.ts';

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
