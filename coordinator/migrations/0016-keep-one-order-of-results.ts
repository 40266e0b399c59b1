import { Migration } from '@mikro-orm/migrations';

/** What the index without the tenant was for, the one with it does too, also for older coordinators. */
export class KeepOneOrderOfResults extends Migration {
  override name = '0016-keep-one-order-of-results';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // In one statement, so that a migration that was broken off and begins again takes neither for the other.
    this.addSql(`do $$ begin
      if to_regclass('test_case_results_page_idx') is not null then
        alter index test_case_results_run_idx rename to test_case_results_former_run_idx;
        alter index test_case_results_page_idx rename to test_case_results_run_idx;
      end if;
    end $$`);
    this.addSql('drop index concurrently if exists test_case_results_former_run_idx');
  }
}
