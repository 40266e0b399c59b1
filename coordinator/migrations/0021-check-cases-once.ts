import { Migration } from '@mikro-orm/migrations';

/** What a case came to is read from results, which were checked against the case: a second check locked the row of each case again. */
export class CheckCasesOnce extends Migration {
  override name = '0021-check-cases-once';

  override up(): void {
    this.addSql('alter table case_summaries drop constraint case_summaries_tenant_id_test_case_id_foreign');
  }
}
