import { Migration } from '@mikro-orm/migrations';

/** An installation of the App belongs to one tenant: to the one whose repository was the first on it. */
export class OwnInstallations extends Migration {
  override name = '0039-own-installations';

  override up(): void {
    this.addSql(`create table installations (
      tenant_id uuid not null,
      host text not null,
      external_id text not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, host, external_id),
      constraint installations_one_tenant_key unique (host, external_id),
      constraint installations_tenant_id_foreign foreign key (tenant_id) references tenants (id) on delete cascade
    )`);
    // Whoever migrates owns the table and belongs to no tenant.
    this.addSql(`alter table repositories no force row level security`);
    this.addSql(`insert into installations (host, external_id, tenant_id)
      select distinct on (host, installation_id) host, installation_id, tenant_id from repositories
      where installation_id is not null order by host, installation_id, created_at, id`);
    this.addSql(`update repositories r set installation_id = null, updated_at = now() where exists (
      select 1 from installations i
      where i.host = r.host and i.external_id = r.installation_id and i.tenant_id <> r.tenant_id)`);
    this.addSql(`alter table repositories force row level security`);
    this.addSql(`alter table installations enable row level security`);
    this.addSql(`alter table installations force row level security`);
    const own = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;
    this.addSql(`create policy tenant_isolation on installations to proofmark_app using (${own}) with check (${own})`);
    this.addSql(`grant select on installations to proofmark_app`);
    this.addSql(`create policy worker on installations to proofmark_worker using (true) with check (true)`);
    this.addSql(`grant select, insert, delete on installations to proofmark_worker`);
  }
}
