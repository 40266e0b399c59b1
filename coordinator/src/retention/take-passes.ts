import { lastTimeOfDayMs } from '@proofmark/domain/schedule';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import { type RetentionSettings, retentionSettings } from '../settings/effective-setting.ts';
import type { SettingVariables } from '../settings/known-settings.ts';

/** A removal that this replica alone does. */
export interface RemovalPass {
  tenantId: string;
  dueAtMs: number;
  nowMs: number;
  settings: RetentionSettings;
}

interface TenantRow {
  tenantId: string;
  nowMs: number;
  sinceMs: number;
  stored: Record<string, string>;
}

/** After this long whoever took a removal has died over it, or could not do it, and it is taken up again. */
const lostAfter = sql`interval '30 minutes'`;

/**
 * Takes a removal whose time has come since the last one that was finished, by the settings of its tenant; null when there is
 * none. One that no replica was there for is made up for once. Two replicas that ask at the same time do not both get it.
 */
export async function takePass(database: Database, variables: SettingVariables): Promise<RemovalPass | null> {
  return asWorker(database, async (em) => {
    const kysely = em.getKysely();
    const { rows } = await sql<TenantRow>`
      select t.id as "tenantId", (extract(epoch from now()) * 1000)::float8 as "nowMs",
        (extract(epoch from greatest(t.created_at, (
          select max(p.taken_at) from retention_passes p where p.tenant_id = t.id
            and (p.finished_at is not null or p.taken_at > now() - ${lostAfter})))) * 1000)::float8 as "sinceMs",
        coalesce((
          select jsonb_object_agg(s.key, s.value) from system_settings s where s.tenant_id = t.id), '{}') as stored
      from tenants t order by t.id`.execute(kysely);
    for (const { tenantId, nowMs, sinceMs, stored } of rows) {
      const settings = retentionSettings(stored, variables);
      const dueAtMs = lastTimeOfDayMs(settings.cleanupTime, nowMs);
      if (dueAtMs === undefined || dueAtMs <= sinceMs) continue;
      const taken = await sql`
        insert into retention_passes as p (tenant_id, due_at) values (${tenantId}, ${new Date(dueAtMs)})
        on conflict (tenant_id, due_at) do update set taken_at = now()
          where p.finished_at is null and p.taken_at <= now() - ${lostAfter}
        returning 1`.execute(kysely);
      if (taken.rows.length > 0) return { tenantId, dueAtMs, nowMs, settings };
    }
    return null;
  });
}

/** Notes what a removal came to, and forgets those of long ago. */
export async function finishPass(
  database: Database,
  { tenantId, dueAtMs }: Pick<RemovalPass, 'tenantId' | 'dueAtMs'>,
  removed: Record<string, number>,
): Promise<void> {
  await asWorker(database, async (em) => {
    const kysely = em.getKysely();
    await sql`
      update retention_passes set finished_at = now(), removed = ${JSON.stringify(removed)}
      where tenant_id = ${tenantId} and due_at = ${new Date(dueAtMs)}`.execute(kysely);
    await sql`
      delete from retention_passes where tenant_id = ${tenantId} and due_at < now() - interval '90 days'`.execute(
      kysely,
    );
    await sql`
      delete from scheduled_runs where tenant_id = ${tenantId} and window_start < now() - interval '90 days'`.execute(
      kysely,
    );
  });
}
