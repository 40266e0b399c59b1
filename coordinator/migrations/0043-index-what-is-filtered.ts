import { Migration } from '@mikro-orm/migrations';

/** What a list is filtered by, in the order of the list. */
const indexes = {
  runs_of_repository_idx: 'runs (tenant_id, repository_id, created_at)',
  runs_of_ref_idx: 'runs (tenant_id, ref, created_at)',
  runs_of_verdict_idx: 'runs (tenant_id, verdict, created_at)',
  runs_of_trigger_idx: 'runs (tenant_id, triggered_by, created_at)',
  runs_of_creator_idx: 'runs (tenant_id, created_by, created_at)',
  test_suite_runs_of_verdict_idx: 'test_suite_runs (tenant_id, verdict, created_at)',
  test_suite_runs_of_tenant_idx: 'test_suite_runs (tenant_id, created_at, id)',
};

/** Beside those who write. What an attempt before left unfinished is built anew. */
export class IndexWhatIsFiltered extends Migration {
  override name = '0043-index-what-is-filtered';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, columns] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${columns}`);
    }
  }
}
