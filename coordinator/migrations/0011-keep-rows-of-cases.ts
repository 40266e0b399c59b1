import { Migration } from '@mikro-orm/migrations';

/** So that a failed case of a row is told at the line of the row. */
export class KeepRowsOfCases extends Migration {
  override name = '0011-keep-rows-of-cases';

  override up(): void {
    this.addSql('alter table test_suite_runs add column case_rows jsonb');
  }
}
