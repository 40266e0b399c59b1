import { verifyWithFallback } from '@octokit/webhooks-methods';
import { sql } from 'kysely';
import { storableJson } from '../database/storable.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { workOfDelivery } from './webhook-work.ts';

type Delivery = { host: string; event: string; deliveryId: string; payload: unknown };

/**
 * Keeps what a delivery asks for until its turn comes, once however often the forge repeats it; nothing is asked of the
 * forge before it has its answer. What we do not know is noted, and nothing is kept of it.
 */
export function webhookReceiver(database: Database, onQueued: () => void): (delivery: Delivery) => Promise<void> {
  return async ({ host, event, deliveryId, payload }) => {
    const work = workOfDelivery(event, payload, host);
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

/** Reads signatures by one of the secrets, of which there are two during rotation. Null: the header is none, whatever it is about. */
export function signatureReader([secret, ...others]: readonly string[]) {
  return (header: unknown): ((text: string) => Promise<boolean>) | null => {
    if (secret === undefined || typeof header !== 'string' || !/^sha256=[0-9a-f]{64}$/.test(header)) return null;
    // The whole body counts, to the byte; an empty one is never signed by the forge.
    return async (text) => text !== '' && Boolean(await verifyWithFallback(secret, text, header, others));
  };
}
