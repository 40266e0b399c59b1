import { verifyWithFallback } from '@octokit/webhooks-methods';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import { storableJson } from '../database/storable.ts';
import { workOf } from './webhook-work.ts';

type Delivery = { event: string; deliveryId: string; payload: unknown };

/**
 * Keeps what a delivery asks for until its turn comes, once however often the forge repeats it; nothing is asked of the
 * forge before it has its answer. What we do not know is noted, and nothing is kept of it.
 */
export function webhookReceiver(database: Database, onQueued: () => void): (delivery: Delivery) => Promise<void> {
  return async ({ event, deliveryId, payload }) => {
    const work = workOf(event, payload);
    const isNew = await asWorker(database, async (em) => {
      const { rows } = await sql`
        insert into webhook_deliveries (delivery_id, event, payload, state)
        values (${deliveryId}, ${work?.event ?? null}, ${work === null ? null : storableJson(work)}::jsonb,
          ${work === null ? 'done' : 'due'})
        on conflict do nothing returning 1`.execute(em.getKysely());
      return rows.length > 0;
    });
    if (isNew && work !== null) onQueued();
  };
}

/** Whether a text carries a signature by one of the secrets, of which there are two during rotation. */
export function signatureCheck([secret, ...others]: readonly string[]) {
  return async (text: string, signature: unknown): Promise<boolean> => {
    const isHash = typeof signature === 'string' && /^sha256=[0-9a-f]{64}$/.test(signature);
    // The whole body counts, to the byte; an empty one is never signed by the forge.
    if (!isHash || secret === undefined || text === '') return false;
    return Boolean(await verifyWithFallback(secret, text, signature, others));
  };
}
