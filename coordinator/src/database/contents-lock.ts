import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/**
 * Contents are kept once and referred to by their hash, so a run may take up what nobody else refers to any more. Whoever
 * stores a run shares this lock until its transaction ends; what is unused is only looked for and removed under it alone.
 */
const lockOf = (tenantId: string) => sql`hashtextextended(${`contents of ${tenantId}`}, 0)`;

export async function shareContents(em: EntityManager, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf(tenantId)})`.execute(em.getKysely());
}

export async function lockContents(em: EntityManager, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(tenantId)})`.execute(em.getKysely());
}
