import { Migration } from '@mikro-orm/migrations';

/** What a change takes out of the suites of its base. */
export class TellRemoved extends Migration {
  override name = '0021-tell-removed';

  override up(): void {
    this.addSql(`alter table runs add column removed jsonb`);
  }
}
