import { Migration } from '@mikro-orm/migrations';

/** Finds the newest suite runs of all cells of a suite without reading the others. */
export class OrderSuiteRuns extends Migration {
  override name = '0020-order-suite-runs';

  override up(): void {
    this.addSql(`create index test_suite_runs_curve_idx on test_suite_runs (suite_id, created_at)`);
  }
}
