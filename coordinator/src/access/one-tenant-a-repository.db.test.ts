import { expect, inject, it } from 'vitest';
import { migrate } from '../database/migrate.ts';
import { openLedger } from '../database/open-ledger.fixture.ts';
import { newTenant } from '../story.fixture.ts';

const name = '0023-one-tenant-a-repository';

it('a repository that several tenants had enrolled stays with the first, and the others keep what they have run', async () => {
  await using ledger = await openLedger(inject('postgresUrl'));
  const { query, url, appUrl, workerUrl } = ledger;
  // As it was before the migration.
  await query('alter table repositories drop constraint repositories_one_tenant_key');
  await query('create index repositories_external_idx on repositories (host, external_id)');
  expect(await query('delete from schema_migrations where name = $1 returning name', [name])).toEqual([{ name }]);
  const [late, first, alone] = [await newTenant(ledger), await newTenant(ledger), await newTenant(ledger)];
  const enrol = (tenantId: string, externalId: string, day: string) =>
    query<{ id: string }>(
      `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, installation_id, created_at)
       values ($1, 'github.com', $2, '7', 'acme/shop', '9', $3) returning id`,
      [tenantId, externalId, day],
    );
  const [lateRow] = await enrol(late.id, '77', '2026-02-02');
  await enrol(first.id, '77', '2026-02-01');
  await enrol(alone.id, '78', '2026-02-03');

  expect(await migrate({ databaseUrl: url, appUrl, workerUrl })).toEqual([name]);
  expect(
    await query(
      `select tenant_id as tenant, external_id as number, installation_id as installation from repositories order by created_at`,
    ),
  ).toEqual([
    { tenant: first.id, number: '77', installation: '9' },
    { tenant: late.id, number: `released:77:${lateRow?.id}`, installation: null },
    { tenant: alone.id, number: '78', installation: '9' },
  ]);
  await expect(enrol(late.id, '78', '2026-02-04')).rejects.toThrow('repositories_one_tenant_key');
});
