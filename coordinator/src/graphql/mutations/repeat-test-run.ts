import { RepeatInput, repeatTestRun } from '../../definitions/repeat-test-run.ts';
import { answerStart } from '../answer-start.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { startFailureTypes } from '../objects/start-failures.ts';
import { StartedType } from '../objects/started-run.ts';
import { memberOf } from '../result-union.ts';
import { invalidInput } from '../user-errors.ts';
import { withoutNulls } from '../without-nulls.ts';

const Input = builder.inputType('RepeatTestRunInput', {
  description: 'A test run to repeat.',
  fields: (t) => ({
    testRunId: t.field({ type: 'UUID', required: true, description: 'The test run, which has ended.' }),
    idempotencyKey: t.string({
      required: true,
      description: 'The same key is the same repeat. 1 to 200 printable ASCII characters.',
    }),
    notes: t.string({ description: 'Kept with the new run.' }),
  }),
});

const ResultType = builder.unionType('RepeatTestRunResult', {
  description: 'What came of it.',
  types: [StartedType, ...startFailureTypes],
  resolveType: memberOf,
});

builder.mutationField('repeatTestRun', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: { input: t.arg({ type: Input, required: true, description: 'What to repeat.' }) },
    description:
      'Starts a new run of one test run with the definitions, the variables and the seed of then. The old result stays as it is; the new run is compared with nothing and writes no checks.',
    resolve: async (_root, { input }, context) => {
      const given = withoutNulls(input);
      const parsed = RepeatInput.safeParse(given);
      if (!parsed.success) return invalidInput(parsed.error, given);
      return answerStart(context, await repeatTestRun(context.ports.starting, callerOf(context), parsed.data));
    },
  }),
);
