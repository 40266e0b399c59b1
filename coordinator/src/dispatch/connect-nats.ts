import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { COORDINATOR } from '@proofmark/contracts/broker-accounts';
import type { BrokerLogin } from '@proofmark/process/broker-login';
import { openConnection } from '@proofmark/process/open-connection';

/** The connection to the broker with its JetStream clients. It reconnects for ever; nothing else in the coordinator knows NATS. */
export interface Broker {
  connection: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
  isConnected: () => boolean;
  close: () => Promise<void>;
}

/** Told when a connection that was there is lost, and when it is back. */
export interface ConnectionWatch {
  brokerLost: (reason: string) => void;
  brokerBack: () => void;
}

/** Connects to one of the servers. Rejects when none answers. */
export async function connectBroker(login: BrokerLogin, watch: ConnectionWatch): Promise<Broker> {
  const connection = await openConnection(login, { name: COORDINATOR, account: COORDINATOR });
  let isConnected = true;
  let isClosing = false;
  void followStatus(connection, (state) => {
    isConnected = state;
    if (state) watch.brokerBack();
    else if (!isClosing) watch.brokerLost('the connection is lost');
  });
  return {
    connection,
    js: jetstream(connection, { timeout: 5000 }),
    jsm: await jetstreamManager(connection, { checkAPI: false, timeout: 5000 }),
    isConnected: () => isConnected && !connection.isClosed(),
    close: async () => {
      isClosing = true;
      await connection.close();
    },
  };
}

async function followStatus(connection: NatsConnection, tell: (isConnected: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect' || type === 'close') tell(false);
    if (type === 'reconnect') tell(true);
  }
}
