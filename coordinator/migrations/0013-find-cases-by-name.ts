import { Migration } from '@mikro-orm/migrations';

/** For those of one name among all cases of a tenant. */
export class FindCasesByName extends Migration {
  override name = '0013-find-cases-by-name';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was broken off leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists test_cases_name_idx');
    this.addSql(
      'create index concurrently test_cases_name_idx on test_cases (tenant_id, name) where deleted_at is null',
    );
  }
}
