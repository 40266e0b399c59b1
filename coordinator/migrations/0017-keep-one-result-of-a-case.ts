import { Migration } from '@mikro-orm/migrations';

/** One result for each case, run, repetition and variant, found by the case: what two indexes were for. */
export class KeepOneResultOfACase extends Migration {
  override name = '0017-keep-one-result-of-a-case';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was broken off leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists test_case_results_case_key');
    this.addSql(
      'create unique index concurrently test_case_results_case_key on test_case_results (test_case_id, run_id, repetition, variant, tenant_id)',
    );
  }
}
