import { builder } from '../builder.ts';
import { costOfPage, pageArguments } from '../connection.ts';
import { definitionPage, definitionRow } from '../definition-rows.ts';
import { PresetConnectionType, PresetType } from '../objects/preset.ts';
import { selectPresets } from '../read/shared-definition-views.ts';

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
