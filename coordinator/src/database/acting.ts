import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';

/** Whose request is worked on. */
export interface Actor {
  userId: string;
  tokenId: string;
}

const acting = new AsyncLocalStorage<Actor>();

/** What is changed within `work` was changed by this actor: the ledger notes it with the change. */
export const actAs = <Result>({ userId, tokenId }: Actor, work: () => Result): Result =>
  acting.run({ userId, tokenId }, work);

/** The actor as settings of a transaction; none where the coordinator works by itself. */
export function actorVariables(): Record<string, string> {
  const actor = acting.getStore();
  return actor === undefined ? {} : { 'app.user_id': actor.userId, 'app.token_id': actor.tokenId };
}

type Connection = Parameters<ReturnType<typeof sql>['execute']>[0];

/** What is no change of something set up, but done by somebody all the same, such as cancelling a run. */
export interface Deed {
  tenantId: string;
  action: 'started' | 'cancelled' | 'confirmed' | 'annotated';
  subject: 'run' | 'suite-run';
  name: string;
}

/** Notes a deed of somebody in the transaction in which it is done; what the coordinator does by itself is in its log. */
export async function noteDeed(connection: Connection, { tenantId, action, subject, name }: Deed): Promise<void> {
  const actor = acting.getStore();
  if (actor === undefined) return;
  await sql`
    insert into audit_entries (tenant_id, user_id, token_id, action, subject, names, total)
    values (${tenantId}, ${actor.userId}, ${actor.tokenId}, ${action}, ${subject}, ${[name]}::text[], 1)`.execute(
    connection,
  );
}
