import { Migration } from '@mikro-orm/migrations';

/**
 * What an outcome holds beyond its columns stands in the row itself. In a table of its own each result was checked against its
 * row once more, and a connection that had planned this check while the table was empty read all results of the tenant for it.
 */
export class KeepPayloadsWithResults extends Migration {
  override name = '0041-keep-payloads-with-results';

  override up(): void {
    this.addSql(`alter table test_case_results add column payload json null`);
  }
}
