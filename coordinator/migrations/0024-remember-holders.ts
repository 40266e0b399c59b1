import { Migration } from '@mikro-orm/migrations';

/** Whose attempts at a test run are over: what such an attempt has spent is noted, what a stranger claims is not. */
export class RememberHolders extends Migration {
  override name = '0024-remember-holders';

  override up(): void {
    this.addSql(`alter table test_run_leases add column past_holders text[] not null default '{}'`);
  }
}
