import { cancelRun } from '../../runs/cancel-run.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { RunType } from '../objects/run.ts';
import { NotAllowedType, NotFoundType } from '../objects/user-error.ts';
import { readRun } from '../read/read-runs.ts';
import type { RunView } from '../read/run-view.ts';
import { asMember, memberOf } from '../result-union.ts';
import { notAllowed, notFound } from '../user-errors.ts';

const CancelledType = builder.objectRef<{ run: RunView; changed: boolean }>('CancelRunSuccess').implement({
  description: 'The run has ended: nothing of it is executed any more.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run as it is now.', resolve: ({ run }) => run }),
    changed: t.exposeBoolean('changed', { description: 'False when it had ended before; then nothing was changed.' }),
  }),
});

const ResultType = builder.unionType('CancelRunResult', {
  description: 'What came of it.',
  types: [CancelledType, NotFoundType, NotAllowedType],
  resolveType: memberOf,
});

builder.mutationField('cancelRun', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }) },
    description: 'Ends a run. When this answers, no result that arrives later counts.',
    resolve: async (_root, { id }, context) => {
      const caller = callerOf(context);
      const cancelled = await cancelRun(context.ports.database, caller, id);
      if (!cancelled.ok)
        return cancelled.error.code === 'NOT_FOUND'
          ? notFound('run')
          : notAllowed('This token may not cancel that run.');
      if (cancelled.run.changed) context.ports.runCancelled(caller.tenantId, id);
      const run = await readRun(context.ports.database, caller.tenantId, id);
      return run === null ? notFound('run') : asMember('CancelRunSuccess', { run, changed: cancelled.run.changed });
    },
  }),
);
