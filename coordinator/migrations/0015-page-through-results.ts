import { Migration } from '@mikro-orm/migrations';

/**
 * A page of results in the order of the file. With the tenant in it no other index answers more of the question: without
 * fresh statistics Postgres took the one that has run and tenant, and read and sorted the whole run for each page.
 */
export class PageThroughResults extends Migration {
  override name = '0015-page-through-results';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was broken off leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists test_case_results_page_idx');
    this.addSql(
      'create index concurrently test_case_results_page_idx on test_case_results (run_id, tenant_id, sort_order, repetition, id)',
    );
  }
}
