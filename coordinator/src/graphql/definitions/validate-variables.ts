import { StoredValuesInput } from '../../start/start-stored-run.ts';
import { type ValueVerdict, validateStoredValues } from '../../start/validate-stored-values.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { StoredValuesInputType } from '../runs/start-run-input.ts';
import { inputProblems, inWords, ProblemType, withoutNulls } from '../user-errors.ts';

const VerdictType = builder.objectRef<ValueVerdict>('VariableValidation').implement({
  description: 'Whether a run with these values could start, and what is wrong or doubtful.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'Whether every selected test could run.' }),
    problems: t.field({
      type: [ProblemType],
      description: 'Errors and warnings; those of the request itself stand in no file.',
      resolve: ({ problems }) => problems,
    }),
  }),
});

builder.queryField('validateVariables', (t) =>
  t.field({
    type: VerdictType,
    nullable: true,
    authScopes: { read: true },
    args: { input: t.arg({ type: StoredValuesInputType, required: true, description: 'What would be run.' }) },
    complexity: 50,
    description:
      'What a run of a stored suite or test with these values would complain about; null when there is none.',
    resolve: async (_root, { input }, context) => {
      const given = withoutNulls(input);
      const parsed = StoredValuesInput.safeParse(given);
      if (!parsed.success) throw graphqlError('BAD_USER_INPUT', inWords(inputProblems(parsed.error, given)));
      return validateStoredValues(context.ports.database, callerOf(context), parsed.data);
    },
  }),
);
