import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { reasonOf } from '@proofmark/domain/log-line';
import type { BrokerLogin } from '@proofmark/process/broker-login';
import { openConnection } from '@proofmark/process/open-connection';
import { pause } from '@proofmark/process/pause';

export interface ConnectOptions {
  runnerId: string;
  name: string;
  signal: AbortSignal;
  /** Told of every try that failed, and of the loss of a connection that was there. */
  onTrouble?: (reason: string) => void;
  onConnected?: () => void;
  /** Told once of each subject that the broker does not let this runner use. */
  onRefused?: (what: string) => void;
}

/** A connection that reconnects for ever, also before it was there for the first time, until the signal is aborted. */
export async function connectRunner(login: BrokerLogin, options: ConnectOptions): Promise<NatsConnection> {
  const { runnerId, name, signal } = options;
  const nothing = () => undefined;
  const { onTrouble = nothing, onConnected = nothing, onRefused = nothing } = options;
  for (;;) {
    try {
      const connection = await openConnection(login, { name, account: runnerId });
      onConnected();
      void followStatus(connection, { onTrouble, onConnected, onRefused });
      return connection;
    } catch (error) {
      onTrouble(reasonOf(error));
      await pause(500, signal).catch(() => {
        throw error;
      });
    }
  }
}

type Watch = Required<Pick<ConnectOptions, 'onTrouble' | 'onConnected' | 'onRefused'>>;

async function followStatus(connection: NatsConnection, { onTrouble, onConnected, onRefused }: Watch): Promise<void> {
  const refused = new Set<string>();
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' && !connection.isClosed()) onTrouble('the connection is lost');
    if (status.type === 'reconnect') onConnected();
    if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
    const { operation, subject } = status.error;
    if (refused.size >= mostRefusals || refused.has(subject)) continue;
    refused.add(subject);
    onRefused(`${operation} ${subject}`);
  }
}

/** So many subjects are told of; they are asked again and again. */
const mostRefusals = 20;
