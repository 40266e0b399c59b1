import { sql } from 'kysely';
import { z } from 'zod';
import { noteDeed } from '../../database/acting.ts';
import { inTenant } from '../../database/transactions.ts';
import { confirmSuiteRun } from '../../judging/confirm-suite-run.ts';
import { cancelRun } from '../../ledger/cancel-run.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { suiteRunById } from '../suite-runs/read-suite-runs.ts';
import {
  asMember,
  InvalidInputType,
  invalidInput,
  memberOf,
  NotAllowedType,
  NotConfirmableType,
  NotFoundType,
  notAllowed,
  notFound,
} from '../user-errors.ts';
import { type RunView, readRun, visibleRun } from './read-runs.ts';
import { RunType } from './runs.ts';

const CancelledType = builder.objectRef<{ run: RunView; changed: boolean }>('CancelRunSuccess').implement({
  description: 'The run has ended, and nothing of it is executed any more; or it goes on for another job.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run as it is now.', resolve: ({ run }) => run }),
    changed: t.exposeBoolean('changed', {
      description: 'False when it had ended before, or when another job waits for it; then it is as it was.',
    }),
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

const NotedType = builder.objectRef<{ run: RunView }>('UpdateRunNotesSuccess').implement({
  description: 'The notes are kept with the run.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run with its new notes.', resolve: ({ run }) => run }),
  }),
});

const NotedResultType = builder.unionType('UpdateRunNotesResult', {
  description: 'What came of the new notes.',
  types: [NotedType, InvalidInputType, NotFoundType],
  resolveType: memberOf,
});

const Notes = z.strictObject({ notes: z.string().max(10_000).nullable() });

builder.mutationField('updateRunNotes', (t) =>
  t.field({
    type: NotedResultType,
    authScopes: { write: true },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }),
      notes: t.arg.string({ description: 'What people shall know about it, at most 10000 characters; null: nothing.' }),
    },
    description: 'Writes notes on a run, whatever state it is in, in the place of those that it had.',
    resolve: async (_root, { id, notes = null }, context) => {
      const parsed = Notes.safeParse({ notes });
      if (!parsed.success) return invalidInput(parsed.error, { notes });
      if ((await visibleRun(context, id)) === null) return notFound('run');
      const { database } = context.ports;
      const { tenantId } = callerOf(context);
      await inTenant(database, tenantId, async (em) => {
        await sql`update runs set notes = ${parsed.data.notes} where id = ${id}`.execute(em.getKysely());
        await noteDeed(em.getKysely(), { tenantId, action: 'annotated', subject: 'run', name: id });
      });
      const run = await readRun(database, tenantId, id);
      return run === null ? notFound('run') : asMember('UpdateRunNotesSuccess', { run });
    },
  }),
);

const ConfirmingType = builder.objectRef<{ run: RunView }>('ConfirmSuiteRunSuccess').implement({
  description: 'All cases run again on both sides; the verdict is open until they are judged.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run, which is running again.', resolve: ({ run }) => run }),
  }),
});

const ConfirmResultType = builder.unionType('ConfirmSuiteRunResult', {
  description: 'What came of it.',
  types: [ConfirmingType, NotConfirmableType, NotFoundType, NotAllowedType],
  resolveType: memberOf,
});

builder.mutationField('confirmSuiteRun', (t) =>
  t.field({
    type: ConfirmResultType,
    authScopes: { write: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the suite run that is suspected.' }) },
    description:
      'Runs all cases of a suspected suite run again on both sides, once. Only these fresh test runs decide: worse again, it regressed.',
    resolve: async (_root, { id }, context) => {
      const caller = callerOf(context);
      const suiteRun = await suiteRunById(context, id);
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
