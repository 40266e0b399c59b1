import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { inboxPrefix } from '@proofmark/contracts/broker-accounts';
import { type BrokerLogin, brokerOptions } from './broker-login.ts';

/**
 * A connection to one of the servers that reconnects for ever once it is there; rejects when none answers. The inbox is
 * that of `account`, which the broker lets nobody else hear.
 */
export async function openConnection(
  login: BrokerLogin,
  { name, account }: { name: string; account: string },
): Promise<NatsConnection> {
  const seed = login.PROOFMARK_NATS_SEED;
  return await connect({
    ...brokerOptions(login),
    ...(seed === undefined ? {} : { authenticator: nkeyAuthenticator(Buffer.from(seed)) }),
    name,
    inboxPrefix: inboxPrefix(account),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // A half-open connection is noticed within seconds, long before the lease of a session ends.
    pingInterval: 2000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
    // Each request would note where it was made, in case it fails: more than the request itself takes.
    noAsyncTraces: true,
  });
}
