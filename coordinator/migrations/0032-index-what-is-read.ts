import { Migration } from '@mikro-orm/migrations';

const indexes = {
  /** A page of results in the order of the file. */
  test_case_results_run_idx: 'test_case_results (run_id, sort_order, repetition, id)',
  /** A case in another run of its suite. */
  test_case_results_name_idx: 'test_case_results (run_id, case_name)',
  // What refers to a row is looked for when that row is removed.
  test_suite_runs_agent_idx: 'test_suite_runs (agent_id)',
  test_suite_runs_agent_snapshot_idx: 'test_suite_runs (agent_snapshot_id)',
  test_suite_runs_baseline_idx: 'test_suite_runs (baseline_suite_run_id) where baseline_suite_run_id is not null',
  runs_head_sha_idx: 'runs (head_sha) where head_sha is not null',
  runs_pull_request_idx: 'runs (repository_id, pull_request) where pull_request is not null',
  runs_completed_at_idx: 'runs (completed_at) where completed_at is not null',
  runs_workflow_run_idx: `runs ((trigger ->> 'workflowRunId'))`,
  outbox_run_idx: 'outbox (run_id)',
  // Not on the end of the lease: heartbeats move it, and what changes no index costs less.
  runner_sessions_open_idx: `runner_sessions (pool) where state = 'open'`,
};

/** Beside those who write. What an attempt before left unfinished is built anew, and takes the place of what had its name. */
export class IndexWhatIsRead extends Migration {
  override name = '0032-index-what-is-read';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, columns] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}_new`);
      this.addSql(`create index concurrently ${name}_new on ${columns}`);
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`alter index ${name}_new rename to ${name}`);
    }
  }
}
