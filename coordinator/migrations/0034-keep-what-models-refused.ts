import { Migration } from '@mikro-orm/migrations';

/** What models refused of the requests of a test run; null: nothing. In the row, because every verdict reads it. */
export class KeepWhatModelsRefused extends Migration {
  override name = '0034-keep-what-models-refused';

  override up(): void {
    this.addSql(`alter table test_case_results add column adjustments jsonb null`);
  }
}
