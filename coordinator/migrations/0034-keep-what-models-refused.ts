import { Migration } from '@mikro-orm/migrations';

/** What models refused of the requests of a test run; null: nothing. In the row, because every verdict reads it. */
export class KeepWhatModelsRefused extends Migration {
<<<<<<<< HEAD:coordinator/migrations/0034-keep-what-models-refused.ts
  override name = '0034-keep-what-models-refused';
========
  override name = '0034-keep-what-models-refused';
>>>>>>>> a31fa12 (Measure any model as a judge, metric by metric, on answers that were labelled by hand):coordinator/migrations/0034-keep-what-models-refused.ts

  override up(): void {
    this.addSql(`alter table test_case_results add column adjustments jsonb null`);
  }
}
