import { Migration } from '@mikro-orm/migrations';

const tables = ['agent_test_suites', 'test_cases', 'test_suite_runs', 'test_case_results'];

/** What a tenant has is found by a plain index: ids of tenants are random, and a block range of them holds all. */
export class IndexTenantsPlainly extends Migration {
  override name = '0031-index-tenants-plainly';

  override up(): void {
    for (const table of tables) {
      this.addSql(`drop index ${table}_tenant_idx`);
      this.addSql(`create index ${table}_tenant_idx on ${table} (tenant_id)`);
    }
    this.addSql(`alter table test_case_results alter column id set default gen_random_uuid()`);
  }
}
