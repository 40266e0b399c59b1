import { StartStoredRunInput, startStoredRun } from '../../definitions/start-stored-run.ts';
import { answerStart } from '../answer-start.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { StartStoredRunInputType } from '../inputs/stored-values-input.ts';
import { startFailureTypes } from '../objects/start-failures.ts';
import { StartedType } from '../objects/started-run.ts';
import { memberOf } from '../result-union.ts';
import { invalidInput } from '../user-errors.ts';
import { withoutNulls } from '../without-nulls.ts';

const ResultType = builder.unionType('StartStoredRunResult', {
  description: 'What came of it.',
  types: [StartedType, ...startFailureTypes],
  resolveType: memberOf,
});

builder.mutationField('startStoredRun', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: { input: t.arg({ type: StartStoredRunInputType, required: true, description: 'The run.' }) },
    description: 'Starts a run of a stored suite or of a single stored test. The definitions stay as they are.',
    resolve: async (_root, { input }, context) => {
      const given = withoutNulls(input);
      const parsed = StartStoredRunInput.safeParse(given);
      if (!parsed.success) return invalidInput(parsed.error, given);
      return answerStart(context, await startStoredRun(context.ports.starting, callerOf(context), parsed.data));
    },
  }),
);
