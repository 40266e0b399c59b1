import { Migration } from '@mikro-orm/migrations';

const tables = ['agent_test_suites', 'test_cases', 'test_suite_runs', 'test_case_results'];

/**
 * What a tenant has is found by a plain index: ids of tenants are random, and a block range of them holds all. Built beside
 * those who write; what an attempt before left unfinished is built anew.
 */
export class IndexTenantsPlainly extends Migration {
  override name = '0033-index-tenants-plainly';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const table of tables) {
      this.addSql(`drop index concurrently if exists ${table}_tenant_idx_new`);
      this.addSql(`create index concurrently ${table}_tenant_idx_new on ${table} (tenant_id)`);
      this.addSql(`drop index concurrently if exists ${table}_tenant_idx`);
      this.addSql(`alter index ${table}_tenant_idx_new rename to ${table}_tenant_idx`);
    }
    this.addSql(`alter table test_case_results alter column id set default gen_random_uuid()`);
  }
}
