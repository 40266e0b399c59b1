import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RowKey } from './row-key.ts';

/** Wants the checks and the comment of the run written anew: what they show has changed. */
export async function bumpFeedback(em: EntityManager, run: RowKey): Promise<void> {
  await sql`
    update outbox set wanted_version = wanted_version + 1, state = 'due', tries = 0, next_try_at = now(), updated_at = now()
    where tenant_id = ${run.tenantId} and run_id = ${run.id} and kind in ('github-check', 'github-comment')`.execute(
    em.getKysely(),
  );
}
