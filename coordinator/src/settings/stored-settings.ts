import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import type { StoredSettings } from './effective-setting.ts';
import { knownSettings, type SettingKey } from './known-settings.ts';

export async function readSettings(database: Database, { tenantId }: Caller): Promise<StoredSettings> {
  return inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<{ key: string; value: string }>`select key, value from system_settings`.execute(
      em.getKysely(),
    );
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  });
}

/** Stores a value, or forgets the stored one when it is null. What is wrong with the value otherwise. */
export async function storeSetting(
  database: Database,
  { tenantId }: Caller,
  { key, value }: { key: SettingKey; value: string | null },
): Promise<{ ok: true } | { ok: false; message: string }> {
  const checked = value === null ? null : knownSettings[key].value.safeParse(value);
  if (checked?.success === false)
    return { ok: false, message: checked.error.issues[0]?.message ?? 'is no value of this setting' };
  await inTenant(database, tenantId, async (em) => {
    const change =
      value === null
        ? sql`delete from system_settings where key = ${key}`
        : sql`insert into system_settings (tenant_id, key, value) values (${tenantId}, ${key}, ${value})
            on conflict (tenant_id, key) do update set value = excluded.value, updated_at = now()`;
    await change.execute(em.getKysely());
  });
  return { ok: true };
}
