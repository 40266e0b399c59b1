import { Migration } from '@mikro-orm/migrations';

/**
 * Each index costs a new row one to two microseconds. What these were for, others do too, also for older coordinators: the
 * index of the tenant is the primary key, which begins with it.
 */
export class KeepFewerIndexes extends Migration {
  override name = '0019-keep-fewer-indexes';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const table of ['test_cases', 'test_case_results'])
      this.replace(`${table}_tenant_idx`, `${table}_pkey`, `alter table ${table} rename constraint ${table}_pkey`);
    this.replace(
      'test_case_results_test_case_idx',
      'test_case_results_case_key',
      'alter index test_case_results_case_key rename',
    );
    this.replace('test_cases_suite_name_key', 'test_cases_named_key', 'alter index test_cases_named_key rename');
    this.addSql('drop index concurrently if exists test_case_results_once_key');
    this.addSql('drop index concurrently if exists test_cases_name_idx');
  }

  /** The one takes the name of the other, in one statement: a migration that was broken off and begins again takes neither for the other. */
  private replace(name: string, by: string, rename: string): void {
    this.addSql(`do $$ begin
      if to_regclass('${by}') is not null then
        alter index ${name} rename to ${name}_before;
        ${rename} to ${name};
      end if;
    end $$`);
    this.addSql(`drop index concurrently if exists ${name}_before`);
  }
}
