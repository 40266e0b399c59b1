import type { DescribedVariable } from '@proofmark/domain/describe-variables';
import { builder } from '../builder.ts';

type Allowed = NonNullable<DescribedVariable['allowed']>[number];

const AllowedValueType = builder.objectRef<Allowed>('VariableChoice').implement({
  description: 'A value that a variable may have.',
  fields: (t) => ({
    value: t.field({ type: 'JSON', description: 'The value.', resolve: ({ value }) => value }),
    label: t.exposeString('label', { description: 'How lists show it; the value as text when it has none.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it means.' }),
  }),
});

export const TestVariableType = builder.objectRef<DescribedVariable>('TestVariable').implement({
  description: 'A variable that tests of a type have, as somebody needs to know it to set it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    displayName: t.exposeString('displayName', { description: 'How lists show it.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it controls.' }),
    dataType: t.exposeString('dataType', { description: 'string, number, boolean or date.' }),
    required: t.exposeBoolean('required', { description: 'Whether a test cannot run without a value.' }),
    locked: t.exposeBoolean('locked', { description: 'Whether the test refuses values of suites and runs.' }),
    defaultValue: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What counts when neither suite nor run says anything; null: nothing.',
      resolve: ({ defaultValue }) => defaultValue ?? null,
    }),
    possibleValues: t.field({
      type: [AllowedValueType],
      nullable: true,
      description: 'What it may be; null: any value of its type. AI configurations where the type asks for them.',
      resolve: ({ allowed }) => allowed,
    }),
  }),
});
