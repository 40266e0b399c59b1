import type { NatsConnection } from '@nats-io/transport-node';
import { ReleaseReply } from '@proofmark/contracts/control-messages';
import { askCoordinator } from './ask-coordinator.ts';
import type { HeldAttempts } from './held-attempts.ts';
import type { ResultOutbox } from './publish-results.ts';
import type { RunLoops } from './run-loops.ts';
import type { SessionKeeper } from './session-keeper.ts';

const confirmMs = 10_000;

export interface Draining {
  connection: NatsConnection;
  runnerId: string;
  loops: RunLoops;
  held: HeldAttempts;
  outbox: ResultOutbox;
  keeper: SessionKeeper;
}

/**
 * Takes nothing new, lets what runs end within the grace and gives back the rest, so that others start it at once and no
 * crash is counted. Waits until the coordinator has the results, then closes the session.
 */
export async function drainRunner(
  { loops, held, outbox, keeper, ...asking }: Draining,
  graceMs: number,
): Promise<void> {
  await loops.close();
  await within(graceMs, held.whenEmpty());
  const rest = held.refs;
  held.abort(() => true, 'The runner ends');
  const release = async (refs: typeof rest, closing: boolean): Promise<void> => {
    const request = { sessionId: keeper.sessionId, held: refs, closing };
    if (request.sessionId === undefined) return;
    await askCoordinator(asking.connection, { ...asking, call: 'release', request, reply: ReleaseReply });
  };
  if (rest.length > 0) await release(rest, false);
  await within(confirmMs, outbox.whenEmpty());
  await release([], true);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
