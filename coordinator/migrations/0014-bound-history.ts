import { Migration } from '@mikro-orm/migrations';

/** Finds the newest summaries of each case of a cell without reading the others, however many runs there were. */
export class BoundHistory extends Migration {
  override name = '0014-bound-history';

  override up(): void {
    this.addSql(`drop index case_summaries_history_idx`);
    this.addSql(
      `create index case_summaries_history_idx on case_summaries (suite_id, cell_key, case_key, ended_at) where is_history`,
    );
  }
}
