import { runEventSubject, tenantEventSubject } from '@proofmark/contracts/subjects';
import type { Broker } from './connect-nats.ts';

/**
 * A tick at once, after every hint of a change, and every few seconds without one, because hints may be lost. It ends with
 * the signal. Hints that come while the reader is busy are one tick.
 */
export async function* runChanges(
  { connection }: Broker,
  {
    tenantId,
    runId,
    signal,
    rereadMs = 5000,
  }: {
    tenantId: string /** Null: any run of the tenant. */;
    runId: string | null;
    signal: AbortSignal;
    rereadMs?: number;
  },
): AsyncGenerator<void> {
  let wake = Promise.withResolvers<void>();
  const tick = () => wake.resolve();
  const subject = runId === null ? tenantEventSubject(tenantId) : runEventSubject(tenantId, runId);
  const subscription = connection.subscribe(subject, { callback: tick });
  const timer = setInterval(tick, rereadMs);
  signal.addEventListener('abort', tick, { once: true });
  try {
    tick();
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      if (signal.aborted || connection.isClosed()) return;
      yield;
    }
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', tick);
    if (!connection.isClosed()) subscription.unsubscribe();
  }
}
