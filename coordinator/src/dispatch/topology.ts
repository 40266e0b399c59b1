import { RESULTS_CONSUMER, RESULTS_STREAM, workStream } from '@proofmark/contracts/subjects';
import type { Database } from '../database/connect.ts';
import { readActiveRuns } from '../runs/sessions.ts';
import type { Broker } from './connect-nats.ts';
import { dropRunConsumer, ensureRunConsumer } from './run-consumers.ts';
import {
  ensureStream,
  orMissing,
  resultsConsumerConfig,
  resultsStreamConfig,
  type WorkRoute,
  workStreamConfig,
} from './streams.ts';

export interface TopologyCounts {
  made: number;
  dropped: number;
}

/** The streams and the consumer of results, without which nothing can be sent. */
export async function ensureStreams({ jsm }: Broker, route: WorkRoute): Promise<void> {
  await ensureStream(jsm, workStreamConfig(route.pool));
  await ensureStream(jsm, resultsStreamConfig());
  if ((await orMissing(jsm.consumers.info(RESULTS_STREAM, RESULTS_CONSUMER))) === null) {
    await jsm.consumers.add(RESULTS_STREAM, resultsConsumerConfig(route));
  }
}

/** Makes the broker hold what the ledger wants: streams, a consumer for every active run and none for the others. */
export async function ensureTopology(broker: Broker, database: Database, route: WorkRoute): Promise<TopologyCounts> {
  const { pool } = route;
  await ensureStreams(broker, route);
  // Consumers first: one that is listed belongs to a run that was committed before, so the ledger knows it.
  const consumers = await listConsumers(broker, pool);
  const active = await readActiveRuns(database);
  const wanted = new Set(active.map(({ runId }) => runId));
  let made = 0;
  let dropped = 0;
  for (const { tenantId, runId } of active) {
    if (consumers.has(runId)) continue;
    await ensureRunConsumer(broker.jsm, route, { tenantId, id: runId });
    made++;
  }
  for (const name of consumers) if (!wanted.has(name) && (await dropRunConsumer(broker, pool, name))) dropped++;
  return { made, dropped };
}

async function listConsumers({ jsm }: Broker, pool: string): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { name } of jsm.consumers.list(workStream(pool))) names.add(name);
  return names;
}
