import { startRun } from '../../runs/start-run.ts';
import { StartRunInput } from '../../runs/start-run-input.ts';
import { answerStart } from '../answer-start.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { StartRunInputType } from '../inputs/start-run-input.ts';
import { startFailureTypes } from '../objects/start-failures.ts';
import { StartedType } from '../objects/started-run.ts';
import { memberOf } from '../result-union.ts';
import { invalidInput } from '../user-errors.ts';
import { withoutNulls } from '../without-nulls.ts';

const ResultType = builder.unionType('StartRunResult', {
  description: 'What came of it.',
  types: [StartedType, ...startFailureTypes],
  resolveType: memberOf,
});

builder.mutationField('startRun', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: { input: t.arg({ type: StartRunInputType, required: true, description: 'The run.' }) },
    description: 'Starts a run, or returns the one that the idempotency key started before.',
    resolve: async (_root, { input }, context) => {
      const given = withoutNulls(input);
      const parsed = StartRunInput.safeParse(given);
      if (!parsed.success) return invalidInput(parsed.error, given);
      return answerStart(context, await startRun(context.ports.starting, callerOf(context), parsed.data));
    },
  }),
);
