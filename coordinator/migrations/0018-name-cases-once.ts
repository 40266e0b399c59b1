import { Migration } from '@mikro-orm/migrations';

/** A name once in its suite, and found among all cases of the tenant: what two indexes were for. */
export class NameCasesOnce extends Migration {
  override name = '0018-name-cases-once';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was broken off leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists test_cases_named_key');
    this.addSql(
      'create unique index concurrently test_cases_named_key on test_cases (tenant_id, name, suite_id) where deleted_at is null',
    );
  }
}
