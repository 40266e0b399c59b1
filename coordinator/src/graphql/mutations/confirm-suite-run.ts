import { confirmSuiteRun } from '../../runs/confirm-suite-run.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { RunType } from '../objects/run.ts';
import { NotAllowedType, NotConfirmableType, NotFoundType } from '../objects/user-error.ts';
import { readRun } from '../read/read-runs.ts';
import type { RunView } from '../read/run-view.ts';
import { asMember, memberOf } from '../result-union.ts';
import { notAllowed, notFound } from '../user-errors.ts';

const ConfirmingType = builder.objectRef<{ run: RunView }>('ConfirmSuiteRunSuccess').implement({
  description: 'All cases run again on both sides; the verdict is open until they are judged.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run, which is running again.', resolve: ({ run }) => run }),
  }),
});

const ResultType = builder.unionType('ConfirmSuiteRunResult', {
  description: 'What came of it.',
  types: [ConfirmingType, NotConfirmableType, NotFoundType, NotAllowedType],
  resolveType: memberOf,
});

builder.mutationField('confirmSuiteRun', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the suite run that is suspected.' }) },
    description:
      'Runs all cases of a suspected suite run again on both sides, once. Only these fresh test runs decide: worse again, it regressed.',
    resolve: async (_root, { id }, context) => {
      const caller = callerOf(context);
      const suiteRun = await context.loaders.suiteRun.load(id);
      const answer = await confirmSuiteRun(context.ports.database, caller, id);
      if (!answer.ok) return refusal(answer.error);
      const run = suiteRun === null ? null : await readRun(context.ports.database, caller.tenantId, suiteRun.runId);
      if (run === null) return notFound('suite run');
      context.ports.runStarted(caller.tenantId, run.id);
      return asMember('ConfirmSuiteRunSuccess', { run });
    },
  }),
);

type Refused = Extract<Awaited<ReturnType<typeof confirmSuiteRun>>, { ok: false }>['error'];

function refusal(error: Refused) {
  switch (error.code) {
    case 'NOT_FOUND':
      return notFound('suite run');
    case 'FORBIDDEN':
      return notAllowed('This token may not run that again.');
    case 'NOT_CONFIRMABLE':
      return asMember('NotConfirmable', error);
  }
}
