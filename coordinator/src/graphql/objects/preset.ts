import { builder } from '../builder.ts';
import type { PresetView } from '../read/shared-definition-views.ts';

export const PresetType = builder.objectRef<PresetView>('Preset').implement({
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

export const PresetConnectionType = builder.connectionObject(
  { type: PresetType, name: 'PresetConnection', description: 'A page of presets.' },
  { name: 'PresetEdge', description: 'A row of a page of presets.' },
);
