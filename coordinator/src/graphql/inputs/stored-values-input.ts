import { builder } from '../builder.ts';
import { AssignmentInput, AxisInput, RunSettingsInput, SelectionInput } from './start-run-input.ts';

type Values = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** What a stored suite or test is run with. */
const values = (t: Values) => ({
  suiteId: t.field({ type: 'UUID', description: 'The suite. Give this or testCaseId.' }),
  testCaseId: t.field({
    type: 'UUID',
    description: 'A single test. It runs without its suite: values and matrix of the suite do not count.',
  }),
  selection: t.field({ type: SelectionInput, description: 'Which cases of the suite; absent: all.' }),
  assignments: t.field({ type: [AssignmentInput], description: 'Variables as text.' }),
  variables: t.field({ type: 'JSON', description: 'Variables with typed values, name to value: 0.5 is a number.' }),
  preset: t.string({ description: 'Name of a preset; single variables win over it.' }),
  matrix: t.field({ type: [AxisInput], description: 'Axes of the matrix.' }),
});

export const StoredValuesInputType = builder.inputType('StoredValuesInput', {
  description: 'Values for a stored suite or test.',
  fields: values,
});

export const StartStoredRunInputType = builder.inputType('StartStoredRunInput', {
  description: 'A run of a suite or of a single test that is stored here.',
  fields: (t) => ({
    idempotencyKey: t.string({
      required: true,
      description: 'The same key is the same run. 1 to 200 printable ASCII characters.',
    }),
    ...values(t),
    repetitions: t.int({ description: 'Overrides the repetitions of the suite, 1 to 100.' }),
    settings: t.field({ type: RunSettingsInput, description: 'How the gate behaves.' }),
    notes: t.string({ description: 'Kept with the run.' }),
  }),
});
