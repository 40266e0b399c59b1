import { Migration } from '@mikro-orm/migrations';

/**
 * Keeps the work of a test run as it was written: `jsonb` sorts the keys of objects, and an agent reads its tools and the
 * answers of mocks as text, so the same suite would run differently than in one process.
 */
export class KeepOrderOfKeys extends Migration {
  override name = '0013-keep-order-of-keys';

  override up(): void {
    for (const table of ['test_run_leases', 'test_case_payloads'])
      this.addSql(`alter table ${table} alter column work type json using work::json`);
  }
}
