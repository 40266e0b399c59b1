import type { NatsConnection } from '@nats-io/transport-node';
import { type PlacesRef, ReleaseReply } from '@proofmark/contracts/control-messages';
import { askCoordinator } from './ask-coordinator.ts';
import type { HeldAttempts } from './held-attempts.ts';
import type { ResultOutbox } from './publish-results.ts';
import type { SessionKeeper } from './session-keeper.ts';

const confirmMs = 10_000;

export interface Draining {
  connection: NatsConnection;
  runnerId: string;
  /** Takes no further work. */
  stopTaking: () => Promise<void>;
  held: HeldAttempts;
  outbox: ResultOutbox;
  keeper: SessionKeeper;
}

/**
 * Takes nothing new, gives back what has not begun, lets what runs end within the grace and gives back the rest, so that
 * others start it at once and no crash is counted. Waits until the coordinator has the results, then closes the session.
 */
export async function drainRunner(
  { stopTaking, held, outbox, keeper, ...asking }: Draining,
  graceMs: number,
): Promise<void> {
  const release = async (given: PlacesRef[], closing: boolean): Promise<void> => {
    const request = { sessionId: keeper.sessionId, given, closing };
    if (request.sessionId === undefined) return;
    await askCoordinator(asking.connection, { ...asking, call: 'release', request, reply: ReleaseReply });
  };
  await stopTaking();
  const waiting = held.waiting;
  held.abort((_attempt, hasBegun) => !hasBegun, 'The runner ends');
  if (waiting.length > 0) await release(waiting, false);
  await within(graceMs, held.whenEmpty());
  const rest = held.places;
  held.abort(() => true, 'The runner ends');
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
