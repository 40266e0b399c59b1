import type { Problem } from '@proofmark/contracts/problem';
import { startRun } from '../../runs/start-run.ts';
import { StartRunInput } from '../../runs/start-run-input.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { enumOf } from '../enum-of.ts';
import { failedStart } from '../failed-start.ts';
import { StartRunInputType } from '../inputs/start-run-input.ts';
import { RunType } from '../objects/run.ts';
import {
  IdempotencyConflictType,
  InvalidDefinitionsType,
  InvalidInputType,
  NotAllowedType,
  NotFoundType,
  ProblemType,
} from '../objects/user-error.ts';
import { readRun } from '../read/read-runs.ts';
import type { RunView } from '../read/run-view.ts';
import { asMember, memberOf } from '../result-union.ts';
import { invalidInput, notFound } from '../user-errors.ts';

const DispatchType = enumOf('Dispatch', 'When the first test runs leave.', {
  IMMEDIATE: 'Now.',
  DELAYED: 'As soon as the broker is back; the run is stored.',
});

interface Started {
  run: RunView;
  created: boolean;
  dispatch: 'IMMEDIATE' | 'DELAYED';
  warnings: Problem[];
}

const StartedType = builder.objectRef<Started>('StartRunSuccess').implement({
  description: 'The run is stored and will be executed, whatever happens to this connection.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run.', resolve: ({ run }) => run }),
    created: t.exposeBoolean('created', { description: 'False when the idempotency key had started it before.' }),
    warnings: t.field({
      type: [ProblemType],
      description: 'What is doubtful in the files, though it stops nothing.',
      resolve: ({ warnings }) => warnings,
    }),
    dispatch: t.expose('dispatch', { type: DispatchType, description: 'When the first test runs leave.' }),
  }),
});

const ResultType = builder.unionType('StartRunResult', {
  description: 'What came of it.',
  types: [StartedType, InvalidDefinitionsType, IdempotencyConflictType, NotAllowedType, InvalidInputType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('startRun', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: { input: t.arg({ type: StartRunInputType, required: true, description: 'The run.' }) },
    description: 'Starts a run, or returns the one that the idempotency key started before.',
    resolve: async (_root, { input }, context) => {
      const parsed = StartRunInput.safeParse(withoutNulls(input));
      if (!parsed.success) return invalidInput(parsed.error);
      const caller = callerOf(context);
      const started = await startRun(context.ports.starting, caller, parsed.data);
      if (!started.ok) return failedStart(started.error);
      const dispatch = context.ports.runStarted(caller.tenantId, started.runId);
      const run = await readRun(context.ports.database, caller.tenantId, started.runId);
      return run === null ? notFound('run') : asMember('StartRunSuccess', { run, ...started, dispatch });
    },
  }),
);

/** GraphQL callers send null for what they leave out; the input of a run knows only absent keys where it has defaults. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null)
      .map(([key, entry]) => [key, withoutNulls(entry)]),
  );
}
