import { Migration } from '@mikro-orm/migrations';

const writing = `array['runs:write', 'baseline:write', 'pull-requests:write', 'admin']`;

/**
 * Each person may do what the scopes of their living tokens say, and not more when they sign in by name. A service stays bounded by
 * its tokens alone: it signs in nowhere. Whoever an older coordinator makes meanwhile may do what a CI job may.
 */
const roleOfBefore = `
update users u set role = case when u.kind = 'service' then 'admin' else coalesce((
  select case when bool_or('admin' = any(k.scopes) and k.repository_id is null) then 'admin'
    when bool_or(k.scopes && ${writing}) then 'writer' end
  from api_tokens k where k.tenant_id = u.tenant_id and k.user_id = u.id and k.kind = 'api' and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())), 'reader') end`;

/** Bounds what everybody may do by what they are. */
export class GiveRoles extends Migration {
  override name = '0013-give-roles';

  override up(): void {
    this.addSql(`alter table users add column role text not null default 'ci'`);
    // The rows of all tenants, as their owner; nobody has changed what they may do.
    for (const table of ['users', 'api_tokens']) this.addSql(`alter table ${table} no force row level security`);
    this.addSql('alter table users disable trigger note_changed');
    this.addSql(roleOfBefore);
    this.addSql('alter table users enable trigger note_changed');
    for (const table of ['users', 'api_tokens']) this.addSql(`alter table ${table} force row level security`);
    this.addSql(`alter table users add column disabled_at timestamptz`);
    this.addSql(`alter table users add column external_id text`);
    // Whoever signs in by name has no tenant before.
    this.addSql('grant update (external_id) on users to proofmark_worker');
  }
}
