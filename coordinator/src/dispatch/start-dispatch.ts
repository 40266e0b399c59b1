import type { PoolNotice, RunEvent } from '@proofmark/contracts/control-messages';
import { poolSubject, runEventSubject } from '@proofmark/contracts/subjects';
import type { Logger } from 'pino';
import type { BlobLinks } from '../blobs/blob-links.ts';
import type { RowKey } from '../database/row-key.ts';
import type { Database } from '../database/transactions.ts';
import { sharedTurns } from '../permits/rate-buckets.ts';
import { type Collector, startCollector } from './collector.ts';
import type { Broker } from './connect-nats.ts';
import { foldClaims } from './fold-claims.ts';
import { type HandleResultsOptions, handleResults, type ResultCounts } from './handle-results.ts';
import { makePublisher, type Publisher } from './publisher.ts';
import { serveRpc } from './rpc.ts';
import type { RpcPorts } from './rpc-answers.ts';
import { sessionOwners } from './session-owners.ts';
import type { Topology } from './topology.ts';
import { once, type WokenLoop, wakesOfNewRuns } from './wake-soon.ts';

export interface Dispatch extends AsyncDisposable {
  publisher: Publisher;
  notifier: Notifier;
  collector: Collector;
  /** A run was stored: its first tasks leave. Says whether the broker is there. */
  runStarted: () => 'IMMEDIATE' | 'DELAYED';
  /** A run has ended or was cancelled: nothing of it is to be executed any more. */
  runEnded: (kind: 'run-cancelled' | 'run-finished', run: RowKey) => void;
  /** Answers and collects no more; what is at hand is finished first. */
  stop: () => Promise<void>;
}

type DispatchOptions = {
  broker: Broker;
  database: Database;
  topology: Topology;
  /** Where runners fetch files of cases. */
  links: BlobLinks;
  leaseMs: number;
  heartbeatMs: number;
  log: Logger;
  /** Suite runs have ended, or test runs wait to be published again. */
  wake: (...loops: WokenLoop[]) => void;
  count: (counts: Partial<ResultCounts>) => void;
  countPermits: RpcPorts['countPermits'];
  countAttempts: RpcPorts['countAttempts'];
  countDropped: RpcPorts['countDropped'];
};

/** What runners take or give back within so long makes room for one pass of the publisher. */
const gatherMs = 30;

/** Everything that talks to runners: tasks out, results in, calls answered. */
export function startDispatch(options: DispatchOptions): Dispatch {
  const { broker, database, topology, links, leaseMs, heartbeatMs, log, wake, count } = options;
  const { countPermits, countAttempts, countDropped } = options;
  const publisher = makePublisher({ broker, database, topology, onFinished: () => wake('verdicts') });
  const notifier = makeNotifier(broker, topology);
  const wakeForNew = wakesOfNewRuns(wake);
  const ownerOf = sessionOwners(database);
  const stopping = new AbortController();
  const handling: HandleResultsOptions = {
    database,
    ownerOf,
    log,
    count,
    signal: stopping.signal,
    onRecorded: ({ touchedRuns, finishedSuiteRuns }) => {
      for (const run of touchedRuns) notifier.tellSubscribers(run);
      if (finishedSuiteRuns.length > 0) wake('verdicts');
    },
  };
  const collector = startCollector({ broker, log, handle: (batch) => handleResults(batch, handling) });
  const claims = foldClaims(database, log);
  const onRoom = once(gatherMs, () => wake('publisher'));
  const rpc = serveRpc(
    broker,
    {
      ...{ database, ownerOf, links, leaseMs, heartbeatMs, countPermits, countAttempts, countDropped, log },
      claim: claims.claim,
      takeTurns: sharedTurns(database),
      onRoom,
      onRunner: () => {
        publisher.runnerCame();
        onRoom();
      },
    },
    log,
  );
  const stop = async () => {
    stopping.abort();
    await Promise.all([collector.stop(), rpc.stop()]);
    await claims.settled();
  };
  return {
    publisher,
    notifier,
    collector,
    runStarted: () => {
      wakeForNew();
      return broker.isConnected() ? 'IMMEDIATE' : 'DELAYED';
    },
    runEnded: (kind, run) => {
      if (kind === 'run-cancelled') notifier.tellCancelled(run);
      notifier.tellSubscribers(run);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Notifier {
  /** Tells all runners to give a run up. Whoever misses it learns it from the next heartbeat. */
  tellCancelled: (run: RowKey) => void;
  /** Tells subscribers to read the run again. Whoever misses it reads again within seconds. */
  tellSubscribers: (run: RowKey) => void;
}

/** Notices go out at most once and nothing depends on them. */
function makeNotifier({ connection }: Broker, { pools }: Topology): Notifier {
  const send = (subject: string, notice: PoolNotice | RunEvent) => {
    if (!connection.isClosed()) connection.publish(subject, JSON.stringify(notice));
  };
  return {
    tellCancelled: ({ tenantId, id }) => {
      for (const pool of pools()) send(poolSubject(pool), { kind: 'run-cancelled', tenantId, runId: id });
    },
    tellSubscribers: ({ tenantId, id }) => send(runEventSubject(tenantId, id), { tenantId, runId: id }),
  };
}
