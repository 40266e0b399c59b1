import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { connect } from '@nats-io/transport-node';
import { reasonOf } from '@proofmark/domain/describe-error';
import { pause } from '../retry/pause.ts';

export interface ConnectOptions {
  runnerId: string;
  name: string;
  signal: AbortSignal;
  /** Told of every try that failed, and of the loss of a connection that was there. */
  onTrouble?: (reason: string) => void;
  onConnected?: () => void;
}

/**
 * A connection that reconnects for ever, also before it was there for the first time, until the signal is aborted. The
 * inbox prefix is the runner's own, so that the broker's permissions can keep runners from reading each other's answers.
 * User, password or token may stand in the URL.
 */
export async function connectNats(urls: string, options: ConnectOptions): Promise<NatsConnection> {
  const { runnerId, name, signal, onTrouble = () => undefined, onConnected = () => undefined } = options;
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  const settings: NodeConnectionOptions = {
    servers: servers.map((server) => `${server.protocol}//${server.host}`),
    ...loginOf(servers),
    name,
    inboxPrefix: `_INBOX_${runnerId}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // A half-open connection is noticed within seconds, long before the lease of the session ends.
    pingInterval: 2_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  };
  for (;;) {
    try {
      const connection = await connect(settings);
      onConnected();
      void followStatus(connection, onTrouble, onConnected);
      return connection;
    } catch (error) {
      onTrouble(reasonOf(error));
      await pause(500, signal).catch(() => {
        throw error;
      });
    }
  }
}

async function followStatus(
  connection: NatsConnection,
  onTrouble: (reason: string) => void,
  onConnected: () => void,
): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect' && !connection.isClosed()) onTrouble('the connection is lost');
    if (type === 'reconnect') onConnected();
  }
}

function loginOf([first]: readonly URL[]): NodeConnectionOptions {
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  if (pass !== '') return { user, pass };
  return user === '' ? {} : { token: user };
}
