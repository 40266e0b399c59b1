import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@proofmark/domain/log-line';
import { brokerHosts } from '@proofmark/process/broker-login';
import { waitLog } from '@proofmark/process/wait-log';
import type { Logger } from 'pino';
import { ensureBootstrapToken } from './access/bootstrap.ts';
import { checkLedger } from './database/check-ledger.ts';
import { connectLanes, type Lanes } from './database/connect.ts';
import { migrate } from './database/migrate.ts';
import { checkServer, factsOf } from './dispatch/check-server.ts';
import { type Broker, type ConnectionWatch, connectBroker } from './dispatch/connect-nats.ts';
import { readSyncState } from './dispatch/read-sync-state.ts';
import { makeTopology, type Topology } from './dispatch/topology.ts';
import type { CoordinatorEnvironment } from './environment.ts';

const firstPauseMs = 250;
const longestPauseMs = 4_000;

/** Tries something that a dependency may not be ready for, less and less often, for a while; rejects with the last failure. */
async function retryStart<Result>(
  what: string,
  work: () => Promise<Result>,
  { log, forMs = 60_000, signal }: { log: Logger; forMs?: number; signal: AbortSignal },
): Promise<Result> {
  const deadlineMs = performance.now() + forMs;
  const waiting = waitLog(log, what);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const result = await work();
      waiting.over();
      return result;
    } catch (error) {
      if (error instanceof StartRefused || signal.aborted || performance.now() > deadlineMs) throw error;
      waiting.failed(reasonOf(error));
      await pause(pauseMs, undefined, { signal });
    }
  }
}

/** Waiting cannot help: the set-up is wrong. Each problem says what to do. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

type Preparing = { log: Logger; signal: AbortSignal; watch: ConnectionWatch };

/** The broker, checked and with its streams. Waits a minute for NATS. */
export async function prepareBroker(
  environment: CoordinatorEnvironment,
  { log, signal, watch }: Preparing,
): Promise<{ broker: Broker; topology: Topology }> {
  const connect = () => connectBroker(environment, watch);
  const broker = await retryStart('NATS', connect, { log, signal });
  try {
    const sync = await readSyncState(environment.PROOFMARK_NATS_MONITOR_URL);
    const facts = factsOf(broker.connection, { sync, hosts: brokerHosts(environment.NATS_URL) });
    const { refusals, warnings } = checkServer(facts, {
      requiresSync: environment.PROOFMARK_NATS_REQUIRE_SYNC,
      allowsAnonymous: environment.PROOFMARK_NATS_ALLOW_ANONYMOUS,
    });
    if (refusals.length > 0) throw new StartRefused(refusals);
    for (const warning of warnings) log.warn(warning);
    const { PROOFMARK_ACK_WAIT_MS: ackWaitMs, PROOFMARK_NATS_REPLICAS: replicas } = environment;
    const topology = makeTopology(broker, { ackWaitMs, replicas });
    await retryStart('JetStream', topology.repair, { log, signal });
    return { broker, topology };
  } catch (error) {
    await broker.close();
    throw error;
  }
}

/** The ledger, migrated when that is asked for, checked, and with its first token. Waits a minute for Postgres. */
export async function prepareLedger(
  environment: CoordinatorEnvironment,
  log: Logger,
  signal: AbortSignal,
): Promise<Lanes> {
  const { DATABASE_URL: databaseUrl, PROOFMARK_MIGRATE_ON_START: migrates } = environment;
  if (migrates && databaseUrl !== undefined) {
    const urls = {
      databaseUrl,
      appUrl: environment.PROOFMARK_APP_DATABASE_URL,
      workerUrl: environment.PROOFMARK_WORKER_DATABASE_URL,
    };
    const onWaiting = (message: string) => log.warn(message);
    const done = await retryStart('Postgres', () => migrate(urls, { onWaiting }), { log, signal });
    if (!done.ok) throw new StartRefused([done.problem]);
    if (done.applied.length > 0) log.info({ migrations: done.applied }, 'Migrated');
  }
  if (!migrates && databaseUrl !== undefined)
    log.warn('DATABASE_URL is given and not needed: take the login of the administrator away from what serves');
  const lanes = connectLanes(environment);
  try {
    const findings = await retryStart('Postgres', () => checkLedger(lanes.loops), { log, signal });
    const isWaived = (kind: string) => kind === 'durability' && environment.PROOFMARK_ALLOW_LOSSY_DATABASE;
    const problems = findings.filter(({ kind }) => !isWaived(kind)).map(({ message }) => message);
    if (problems.length > 0) throw new StartRefused(problems);
    const token = environment.PROOFMARK_BOOTSTRAP_TOKEN;
    if (token !== undefined) await ensureBootstrapToken(lanes.requests, token);
    return lanes;
  } catch (error) {
    await lanes.close();
    throw error;
  }
}
