import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { COORDINATOR, inboxPrefix } from '@proofmark/contracts/broker-accounts';
import { type BrokerLogin, brokerOptions } from '@proofmark/process/broker-login';

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
export async function connectNats(login: BrokerLogin, watch: ConnectionWatch): Promise<Broker> {
  const seed = login.PROOFMARK_NATS_SEED;
  const connection = await connect({
    ...brokerOptions(login),
    ...(seed === undefined ? {} : { authenticator: nkeyAuthenticator(Buffer.from(seed)) }),
    name: COORDINATOR,
    inboxPrefix: inboxPrefix(COORDINATOR),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // A half-open connection is noticed within seconds.
    pingInterval: 2000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  });
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
