import { Migration } from '@mikro-orm/migrations';

/** Everybody who was there may do what the scopes of their tokens say, as before: as an admin. */
export class GiveRoles extends Migration {
  override name = '0013-give-roles';

  override up(): void {
    this.addSql(`alter table users add column role text not null default 'admin'`);
    this.addSql(`alter table users add column disabled_at timestamptz`);
    this.addSql(`alter table users add column external_id text`);
    // Whoever signs in by name has no tenant before.
    this.addSql('grant update (external_id) on users to proofmark_worker');
  }
}
