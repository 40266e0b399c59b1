import { setTimeout as pause } from 'node:timers/promises';
import { validTokens } from '../../access/authenticate.ts';
import type { Database } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext, type GraphqlPorts } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { type NewResult, readNewResults, type TestRunView } from '../test-runs/test-run-view.ts';
import { TestRunType } from '../test-runs/test-runs.ts';
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

builder.subscriptionField('runResults', (t) =>
  t.field({
    type: TestRunType,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }) },
    description:
      'Each result of a run once, as it is stored; those that are there already come first. It ends with the run, or as runProgress does. Nothing for an unknown run.',
    subscribe: (_root, { id }, context) => resultsOf(id, context),
    resolve: (testRun: TestRunView) => testRun,
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

/** The longest rest between two looks, and the part of the time that looks may take. */
const longestRestMs = 30_000;
const shareOfLooks = 1 / 20;

/** When to look at a run, or at all of them: after every hint that something changed, until the token or the hour has ended. */
async function* looks(context: GraphqlContext, runId: string | null): AsyncGenerator<void> {
  const { tenantId, tokenId } = callerOf(context);
  const { database, subscriptions, runChanges } = context.ports;
  const slot = subscriptions.take(tokenId, tenantId);
  if (slot === null) throw graphqlError('RATE_LIMITED', 'Too many open subscriptions; close one first.');
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(longestMs)]);
    for await (const _ of runChanges(tenantId, runId, signal)) {
      if (!(await validTokens(database, tenantId, [tokenId])).has(tokenId)) return;
      const began = performance.now();
      yield;
      const took = performance.now() - began;
      const rest = Math.min(Math.max(restMs, took / shareOfLooks), longestRestMs);
      // Whoever ends the stream ends the rest with it.
      await pause(rest, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    slot.release();
  }
}

async function* changedRuns(repository: string | null, context: GraphqlContext): AsyncGenerator<RunView> {
  const caller = callerOf(context);
  const { tenantId } = caller;
  const question = { tenantId, bounds: boundsOf(caller), filter: { repository }, order: 'newest' as const };
  const page = { size: followed, isBackwards: false, from: null };
  let told = new Map<string, string>();
  for await (const _ of looks(context, null)) {
    const { rows } = await listRuns(context.ports.database, question, page);
    const now = new Map(rows.map((run) => [run.id, JSON.stringify(run)]));
    for (const run of rows.toReversed()) if (told.get(run.id) !== now.get(run.id)) yield run;
    told = now;
  }
}

async function* resultsOf(runId: string, context: GraphqlContext): AsyncGenerator<TestRunView> {
  if ((await visibleRun(context, runId)) === null) return;
  const { database } = context.ports;
  const { tenantId } = callerOf(context);
  const readNew = newResults(database, tenantId, runId);
  for await (const _ of looks(context, runId)) {
    // Whoever sees the end of a run sees all of its results after that.
    const run = await readRun(database, tenantId, runId);
    yield* readNew();
    if (run === null || finalStates.has(run.status)) return;
  }
}

/** Results that are read at once, and how far back what comes late is looked for. */
const resultsAtOnce = 500;
const lateMs = 30_000;
const lowestId = '00000000-0000-0000-0000-000000000000';

/** Reads what was stored since it was asked last, each result once. */
function newResults(database: Database, tenantId: string, runId: string): () => AsyncGenerator<TestRunView> {
  const told = new Map<string, number>();
  let from: { at: string; id: string } | null = null;

  const untold = (results: readonly NewResult[]): NewResult[] => {
    const fresh = results.filter(({ id }) => !told.has(id));
    for (const { id, storedAt } of fresh) told.set(id, Date.parse(storedAt));
    return fresh;
  };

  /** What lies before where the next look begins is final, and forgotten. */
  const lookBack = (): void => {
    const newest = told.values().reduce((latest, at) => Math.max(latest, at), 0);
    if (newest === 0) return;
    from = { at: new Date(newest - lateMs).toISOString(), id: lowestId };
    for (const [id, at] of told) if (at < newest - lateMs) told.delete(id);
  };

  return async function* () {
    let read: NewResult[];
    do {
      read = await readNewResults(database, tenantId, { runId, from, size: resultsAtOnce });
      yield* untold(read);
      const last = read.at(-1);
      if (last !== undefined) from = { at: last.storedAt, id: last.id };
    } while (read.length === resultsAtOnce);
    lookBack();
  };
}
