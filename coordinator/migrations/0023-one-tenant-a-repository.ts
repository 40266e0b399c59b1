import { Migration } from '@mikro-orm/migrations';

/**
 * Only the tenant that had the repository first was ever given the tokens of its jobs. The others keep their runs under a
 * row that no token and no webhook can mean: its number is no number of a forge any more.
 */
const release = `
  update repositories r set external_id = 'released:' || r.external_id || ':' || r.id, installation_id = null, updated_at = now()
  where exists (
    select 1 from repositories first
    where first.host = r.host and first.external_id = r.external_id and (first.created_at, first.id) < (r.created_at, r.id))`;

/** A repository of a forge belongs to one tenant. */
export class OneTenantARepository extends Migration {
  override name = '0023-one-tenant-a-repository';

  override up(): void {
    // Whoever migrates owns the table and belongs to no tenant.
    this.addSql(`alter table repositories no force row level security`);
    this.addSql(release);
    this.addSql(`alter table repositories force row level security`);
    this.addSql(`drop index repositories_external_idx`);
    this.addSql(`alter table repositories add constraint repositories_one_tenant_key unique (host, external_id)`);
    // A key over all tenants would tell a request what others have.
    this.addSql(`revoke insert, update, delete on repositories from proofmark_app`);
    this.addSql(`grant update (limits, updated_at) on repositories to proofmark_app`);
  }
}
