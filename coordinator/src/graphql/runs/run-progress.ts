import { setTimeout as pause } from 'node:timers/promises';
import { validTokens } from '../../access/authenticate.ts';
import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext, type GraphqlPorts } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { listRuns, type RunView, readRun, visibleRun } from './read-runs.ts';
import { type FollowRun, runFeeds } from './run-feeds.ts';
import { boundsOf } from './run-filter.ts';
import { RunType } from './runs.ts';

const longestMs = 3_600_000;
const restMs = 1_000;
/** Of a list that somebody follows. */
const followed = 50;
const finalStates: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

builder.subscriptionField('runProgress', (t) =>
  t.field({
    type: RunType,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }) },
    description:
      'The run now and after every change, at most once a second, until it has ended, the token holds no more or an hour is over; then subscribe again. Nothing for an unknown run.',
    subscribe: (_root, { id }, context) => progressOf(id, context),
    resolve: (run: RunView) => run,
  }),
);

builder.subscriptionField('runsChanged', (t) =>
  t.field({
    type: RunType,
    authScopes: { read: true },
    args: { repository: t.arg.string({ description: 'Owner and name: only runs of this repository.' }) },
    description: `The newest ${followed} runs of the tenant, each once and again after each of its changes, newest last: at most one look in a second, until the token holds no more or an hour is over; then subscribe again.`,
    subscribe: (_root, { repository }, context) => changedRuns(repository ?? null, context),
    resolve: (run: RunView) => run,
  }),
);

const feeds = new WeakMap<GraphqlPorts, FollowRun>();

/** The readings that all streams of this replica share. */
function feedsOf(ports: GraphqlPorts): FollowRun {
  const known =
    feeds.get(ports) ??
    runFeeds({
      changes: ports.runChanges,
      read: (...run) => readRun(ports.database, ...run),
      validTokens: (...tokens) => validTokens(ports.database, ...tokens),
    });
  feeds.set(ports, known);
  return known;
}

async function* progressOf(runId: string, context: GraphqlContext): AsyncGenerator<RunView> {
  const caller = callerOf(context);
  const slot = context.ports.subscriptions.take(caller.tokenId, caller.tenantId);
  if (slot === null) throw graphqlError('RATE_LIMITED', 'Too many open subscriptions; close one first.');
  try {
    // What it may see of the run does not change while it looks.
    if ((await visibleRun(context, runId)) === null) return;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(longestMs)]);
    for await (const run of feedsOf(context.ports)(caller, runId, signal)) {
      yield run;
      if (finalStates.has(run.status)) return;
    }
  } finally {
    slot.release();
  }
}

async function* changedRuns(repository: string | null, context: GraphqlContext): AsyncGenerator<RunView> {
  const caller = callerOf(context);
  const { tenantId, tokenId } = caller;
  const { database, subscriptions, runChanges } = context.ports;
  const slot = subscriptions.take(tokenId, tenantId);
  if (slot === null) throw graphqlError('RATE_LIMITED', 'Too many open subscriptions; close one first.');
  const question = { tenantId, bounds: boundsOf(caller), filter: { repository }, order: 'newest' as const };
  const page = { size: followed, isBackwards: false, from: null };
  let told = new Map<string, string>();
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(longestMs)]);
    for await (const _ of runChanges(tenantId, null, signal)) {
      if (!(await validTokens(database, tenantId, [tokenId])).has(tokenId)) return;
      const { rows } = await listRuns(database, question, page);
      const now = new Map(rows.map((run) => [run.id, JSON.stringify(run)]));
      for (const run of rows.toReversed()) if (told.get(run.id) !== now.get(run.id)) yield run;
      told = now;
      // Whoever ends the stream ends the rest with it.
      await pause(restMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    slot.release();
  }
}
