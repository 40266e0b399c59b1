import { doubledPauseMs } from '@proofmark/domain/retry-policy';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { asWorker, type Database } from '../database/transactions.ts';
import { WritesPaused } from '../feedback/write-pace.ts';
import { WebhookWork } from '../webhooks/webhook-work.ts';
import type { Loop } from './run-loops.ts';

type WebhookOptions = {
  database: Database;
  /** Gives back in how many seconds there is more to do, or null. */
  act: (work: WebhookWork, ageMs: number) => Promise<number | null>;
  log: Pick<Logger, 'warn' | 'error'>;
};

const perPass = 20;
/** Longer than an action takes: another replica takes over what this one left. */
const leaseS = 120;
const mostTries = 10;
const longestRestS = 600;

interface Due {
  deliveryId: string;
  payload: unknown;
  tries: number;
  /** Since it came. */
  ageMs: number;
}

/** Acts on what the forge delivered, in every replica, each delivery in one at a time. */
export function webhooks(options: WebhookOptions): Loop {
  return {
    name: 'webhooks',
    every: 5_000,
    run: async (signal) => {
      const counts = { done: 0, failed: 0 };
      for (let taken = 0; taken < perPass && !signal.aborted; taken += 1) {
        const due = await takeNext(options.database);
        if (due === null) break;
        counts[(await actOn(due, options)) ? 'done' : 'failed'] += 1;
      }
      return counts;
    },
  };
}

/** One at a time: what ends this process must not take the blame of its neighbours for it. */
async function takeNext(database: Database): Promise<Due | null> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<Due>`
      with due as (
        select delivery_id from webhook_deliveries where state = 'due' and next_try_at <= now()
        order by next_try_at, received_at limit 1 for update skip locked)
      update webhook_deliveries d set next_try_at = now() + ${leaseS} * interval '1 second', tries = d.tries + 1
      from due where d.delivery_id = due.delivery_id
      returning d.delivery_id as "deliveryId", d.payload, d.tries,
        (extract(epoch from now() - d.received_at) * 1000)::float8 as "ageMs"`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}

async function actOn(
  { deliveryId, payload, tries, ageMs }: Due,
  { database, act, log }: WebhookOptions,
): Promise<boolean> {
  if (tries > mostTries) {
    const reason = `${tries - 1} attempts came to no end`;
    log.error({ deliveryId, tries, reason }, 'A webhook is given up');
    await settle(database, deliveryId, { state: 'parked', reason, restS: 0 });
    return false;
  }
  try {
    const againS = await act(WebhookWork.parse(payload), ageMs);
    await settle(database, deliveryId, { state: againS === null ? 'done' : 'due', reason: null, restS: againS ?? 0 });
    return true;
  } catch (error) {
    if (error instanceof WritesPaused) {
      // It is nobody's fault and no try: by then the forge lets itself be asked again.
      await settle(database, deliveryId, { state: 'due', reason: null, restS: Math.ceil(error.afterMs / 1000) });
      return true;
    }
    const isLast = tries >= mostTries;
    const reason = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    log.warn({ error, deliveryId, tries }, isLast ? 'A webhook is given up' : 'A webhook is tried again');
    const restS = doubledPauseMs(1_000, tries, longestRestS * 1_000) / 1_000;
    await settle(database, deliveryId, { state: isLast ? 'parked' : 'due', reason, restS });
    return false;
  }
}

interface Settled {
  state: 'due' | 'done' | 'parked';
  reason: string | null;
  restS: number;
}

async function settle(database: Database, deliveryId: string, { state, reason, restS }: Settled): Promise<void> {
  await asWorker(database, async (em) => {
    await sql`
      update webhook_deliveries set state = ${state}, reason = ${reason},
        tries = case when ${reason}::text is null then 0 else tries end,
        next_try_at = now() + ${restS} * interval '1 second', payload = case when ${state} = 'due' then payload end
      where delivery_id = ${deliveryId}`.execute(em.getKysely());
  });
}
