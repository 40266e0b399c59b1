import { Migration } from '@mikro-orm/migrations';

/** For the list of all cases of a tenant, newest first. */
export class ListCasesByAge extends Migration {
  override name = '0012-list-cases-by-age';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was broken off leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists test_cases_created_at_idx');
    this.addSql(
      'create index concurrently test_cases_created_at_idx on test_cases (tenant_id, created_at, id) where deleted_at is null',
    );
  }
}
