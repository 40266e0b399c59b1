import { sql } from 'kysely';
import { z } from 'zod';
import { asWorker, type Database } from '../database/connect.ts';
import type { RowKey } from '../runs/row-key.ts';
import { endClosed, noteHead, supersedeOlder } from '../runs/supersede.ts';

const PullRequestEvent = z.object({
  action: z.string(),
  number: z.int(),
  repository: z.object({ id: z.int() }),
  pull_request: z.object({ head: z.object({ sha: z.string() }) }),
});

type ReceiverOptions = {
  database: Database;
  /** The forge that signs, such as github.com. */
  host: string;
  onEnded: (run: RowKey) => void;
};

type Delivery = { event: string; deliveryId: string; payload: unknown };

/** Acts on deliveries of the forge: a closed pull request ends its runs, a newer head ends the runs of older ones. All else is noted. */
export function webhookReceiver({ database, host, onEnded }: ReceiverOptions): (delivery: Delivery) => Promise<void> {
  return async ({ event, deliveryId, payload }) => {
    if (await isKnown(database, deliveryId)) return;
    const parsed = event === 'pull_request' ? PullRequestEvent.safeParse(payload) : undefined;
    if (parsed?.success) for (const run of await actOn(database, host, parsed.data)) onEnded(run);
    // Noted last: a delivery that dies half-way is acted on again when the forge repeats it.
    await note(database, deliveryId);
  };
}

async function actOn(
  database: Database,
  host: string,
  { action, number, repository, pull_request }: z.infer<typeof PullRequestEvent>,
): Promise<RowKey[]> {
  const ended: RowKey[] = [];
  for (const { tenantId, id: repositoryId } of await enrolled(database, host, String(repository.id))) {
    const pullRequest = { tenantId, repositoryId, number };
    if (action === 'closed') ended.push(...(await endClosed(database, pullRequest)));
    if (action === 'synchronize') {
      const head = { ...pullRequest, headSha: pull_request.head.sha };
      await asWorker(database, (em) => noteHead(em, head));
      ended.push(...(await supersedeOlder(database, head)));
    }
  }
  return ended;
}

async function enrolled(database: Database, host: string, externalId: string): Promise<RowKey[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<RowKey>`
      select tenant_id as "tenantId", id from repositories where host = ${host} and external_id = ${externalId}`.execute(
      em.getKysely(),
    );
    return rows;
  });
}

async function isKnown(database: Database, deliveryId: string): Promise<boolean> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql`select 1 from webhook_deliveries where delivery_id = ${deliveryId}`.execute(
      em.getKysely(),
    );
    return rows.length > 0;
  });
}

async function note(database: Database, deliveryId: string): Promise<void> {
  await asWorker(database, async (em) => {
    await sql`insert into webhook_deliveries (delivery_id) values (${deliveryId}) on conflict do nothing`.execute(
      em.getKysely(),
    );
  });
}
