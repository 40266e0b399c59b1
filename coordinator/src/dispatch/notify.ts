import type { PoolNotice, RunEvent } from '@proofmark/contracts/control-messages';
import { poolSubject, runEventSubject } from '@proofmark/contracts/subjects';
import type { RowKey } from '../database/row-key.ts';
import type { Broker } from './connect-nats.ts';

export interface Notifier {
  /** Tells the runners of the pool to give a run up. Whoever misses it learns it from the next heartbeat. */
  tellCancelled: (run: RowKey) => void;
  /** Tells subscribers to read the run again. Whoever misses it reads again within seconds. */
  tellSubscribers: (run: RowKey) => void;
}

/** Notices go out at most once and nothing depends on them. */
export function makeNotifier({ connection }: Broker, pool: string): Notifier {
  const send = (subject: string, notice: PoolNotice | RunEvent) => {
    if (!connection.isClosed()) connection.publish(subject, JSON.stringify(notice));
  };
  return {
    tellCancelled: ({ tenantId, id }) => send(poolSubject(pool), { kind: 'run-cancelled', tenantId, runId: id }),
    tellSubscribers: ({ tenantId, id }) => send(runEventSubject(tenantId, id), { tenantId, runId: id }),
  };
}
