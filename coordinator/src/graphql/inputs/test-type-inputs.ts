import { builder } from '../builder.ts';

type Fields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

const optional = (t: Fields) => ({
  description: t.string({ description: 'For people.' }),
  variablesSchema: t.field({ type: 'JSON', description: 'schemaVersion 1.0 and the list of variables; absent: none.' }),
});

export const CreateTestTypeInputType = builder.inputType('CreateTestTypeInput', {
  description: 'Which variables a kind of test has.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What suites call it.' }),
    ...optional(t),
  }),
});

export const UpdateTestTypeInputType = builder.inputType('UpdateTestTypeInput', {
  description: 'What changes of a test type. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    ...optional(t),
  }),
});
