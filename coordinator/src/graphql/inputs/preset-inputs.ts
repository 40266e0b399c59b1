import { builder } from '../builder.ts';

export const CreatePresetInputType = builder.inputType('CreatePresetInput', {
  description: 'A named set of values.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its name.' }),
    values: t.field({ type: 'JSON', required: true, description: 'Variable to value.' }),
  }),
});

export const UpdatePresetInputType = builder.inputType('UpdatePresetInput', {
  description: 'What changes of a preset. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    values: t.field({ type: 'JSON', description: 'Variable to value, all of them.' }),
  }),
});
