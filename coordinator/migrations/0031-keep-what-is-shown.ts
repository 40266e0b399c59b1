import { Migration } from '@mikro-orm/migrations';

/**
 * What pages and comments show of a suite run stands in its row: what it has cost, null while no price is known, and the cases
 * that a comment names, chosen once with the verdict.
 */
export class KeepWhatIsShown extends Migration {
  override name = '0031-keep-what-is-shown';

  override up(): void {
    this.addSql(`alter table test_suite_runs alter column spent_usd drop not null, alter column spent_usd drop default,
      add column shown_cases jsonb`);
    this.addSql(`update test_suite_runs set spent_usd = null where spent_usd = 0`);
  }
}
