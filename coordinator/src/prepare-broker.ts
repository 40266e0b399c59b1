import { brokerHosts } from '@proofmark/process/broker-login';
import type { Logger } from 'pino';
import { checkServer, factsOf } from './dispatch/check-server.ts';
import { type Broker, type ConnectionWatch, connectBroker } from './dispatch/connect-nats.ts';
import { readSyncState } from './dispatch/read-sync-state.ts';
import { makeTopology, type Topology } from './dispatch/topology.ts';
import type { CoordinatorEnvironment } from './environment.ts';
import { retryStart, StartRefused } from './retry-start.ts';

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
