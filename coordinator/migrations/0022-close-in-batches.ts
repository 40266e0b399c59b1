import { Migration } from '@mikro-orm/migrations';

/** A suite run of any size is ended by one word in its row; what is open of it is closed in batches after that. */
export class CloseInBatches extends Migration {
  override name = '0022-close-in-batches';

  override up(): void {
    this.addSql(`alter table test_suite_runs add column closing jsonb`);
    this.addSql(`create index test_suite_runs_closing_idx on test_suite_runs (id) where closing is not null`);
  }
}
