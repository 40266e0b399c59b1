import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { connect } from '@nats-io/transport-node';
import { pause } from '../retry/pause.ts';

export interface ConnectOptions {
  runnerId: string;
  name: string;
  signal: AbortSignal;
}

/**
 * A connection that reconnects for ever, also before it was there for the first time, until the signal is aborted. The inbox prefix is the runner's own, so that the broker's permissions can keep
 * runners from reading each other's answers. User, password or token may stand in the URL.
 */
export async function connectNats(urls: string, { runnerId, name, signal }: ConnectOptions): Promise<NatsConnection> {
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  const options: NodeConnectionOptions = {
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
      return await connect(options);
    } catch (error) {
      await pause(500, signal).catch(() => {
        throw error;
      });
    }
  }
}

function loginOf([first]: readonly URL[]): NodeConnectionOptions {
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  if (pass !== '') return { user, pass };
  return user === '' ? {} : { token: user };
}
