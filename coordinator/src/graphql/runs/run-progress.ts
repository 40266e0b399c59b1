import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { type RunView, visibleRun } from './read-runs.ts';
import { RunType } from './runs.ts';

const longestMs = 3_600_000;
const finalStates: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

builder.subscriptionField('runProgress', (t) =>
  t.field({
    type: RunType,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }) },
    description:
      'The run now and after every change, until it has ended or an hour is over; then subscribe again. Nothing for an unknown run.',
    subscribe: (_root, { id }, context) => progressOf(id, context),
    resolve: (run: RunView) => run,
  }),
);

async function* progressOf(runId: string, context: GraphqlContext): AsyncGenerator<RunView> {
  const { tokenId, tenantId } = callerOf(context);
  const slot = context.ports.subscriptions.take(tokenId, tenantId);
  if (slot === null) throw graphqlError('RATE_LIMITED', 'Too many open subscriptions; close one first.');
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(longestMs)]);
    let told = '';
    for await (const _ of context.ports.runChanges(tenantId, runId, signal)) {
      // Read anew each time, under the rights of the caller: a hint carries nothing.
      const run = await visibleRun(context, runId);
      if (run === null) return;
      const state = JSON.stringify(run);
      if (state !== told) yield run;
      told = state;
      if (finalStates.has(run.status)) return;
    }
  } finally {
    slot.release();
  }
}
