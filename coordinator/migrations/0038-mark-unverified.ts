import { Migration } from '@mikro-orm/migrations';

/** Which files of a run are not those of its commit; empty: nobody could read the commit. Null: nothing is known against it. */
export class MarkUnverified extends Migration {
  override name = '0038-mark-unverified';

  override up(): void {
    this.addSql(`alter table runs add column unverified text[] null`);
  }
}
