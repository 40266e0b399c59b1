import { Migration } from '@mikro-orm/migrations';

const runs = [
  `create table runs (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    idempotency_key text not null,
    request_hash text not null,
    content_hash text,
    status text not null default 'pending',
    triggered_by text not null,
    trigger jsonb not null,
    rerun_of uuid,
    rerun_kind text,
    repository_id uuid,
    event text,
    head_sha text,
    base_sha text,
    merge_base_sha text,
    base_commit text,
    base_ancestors text[],
    base_agents jsonb,
    pull_request int,
    ref text,
    jobs text[] not null default '{}',
    joined jsonb not null default '{}',
    trace_parent text,
    is_base boolean not null default false,
    run_seed text not null,
    requested jsonb not null,
    settings jsonb not null,
    environment jsonb not null,
    removed jsonb,
    unverified text[],
    pools_without_runners text[] not null default '{}',
    notes text,
    open_suite_runs int not null default 0,
    verdict text,
    conclusion text,
    created_by uuid not null,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    completed_at timestamptz,
    deadline_at timestamptz not null,
    primary key (tenant_id, id),
    constraint runs_idempotency_key unique (tenant_id, idempotency_key),
    constraint runs_status_check check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
    constraint runs_triggered_by_check check (triggered_by in ('manual', 'schedule', 'ci', 'api')),
    constraint runs_rerun_kind_check check (rerun_kind in ('requested', 'failed', 'baseline')),
    constraint runs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint runs_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade,
    constraint runs_tenant_id_created_by_foreign
      foreign key (tenant_id, created_by) references users (tenant_id, id),
    constraint runs_tenant_id_rerun_of_foreign
      foreign key (tenant_id, rerun_of) references runs (tenant_id, id) on delete set null (rerun_of)
  )`,
  `create index runs_created_at_idx on runs (tenant_id, created_at, id)`,
  `create index runs_pull_request_idx on runs (repository_id, pull_request) where pull_request is not null`,
  `create index runs_base_idx on runs (tenant_id, repository_id, head_sha) where is_base`,
  `create index runs_active_idx on runs (tenant_id, id) where status in ('pending', 'running')`,
  `create index runs_rerun_of_idx on runs (rerun_of) where rerun_of is not null`,
  `create index runs_head_sha_idx on runs (head_sha) where head_sha is not null`,
  `create index runs_completed_at_idx on runs (completed_at) where completed_at is not null`,
  `create index runs_workflow_run_idx on runs ((trigger ->> 'workflowRunId'))`,
  // What lists are filtered by, in the order of the list.
  `create index runs_of_repository_idx on runs (tenant_id, repository_id, created_at)`,
  `create index runs_of_ref_idx on runs (tenant_id, ref, created_at)`,
  `create index runs_of_verdict_idx on runs (tenant_id, verdict, created_at)`,
  `create index runs_of_trigger_idx on runs (tenant_id, triggered_by, created_at)`,
  `create index runs_of_creator_idx on runs (tenant_id, created_by, created_at)`,
];

const runFiles = [
  `create table run_files (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    run_id uuid not null,
    path text not null,
    content_hash text not null,
    primary key (tenant_id, id),
    constraint run_files_path_key unique (tenant_id, run_id, path),
    constraint run_files_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint run_files_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
  )`,
  `create index run_files_content_idx on run_files (tenant_id, content_hash)`,
];

/** Files of cases by their content. */
const blobs = [
  `create table blobs (
    tenant_id uuid not null,
    digest text not null,
    size_bytes int not null,
    content bytea not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, digest),
    constraint blobs_digest_check check (digest ~ '^[0-9a-f]{64}$'),
    constraint blobs_size_check check (size_bytes = octet_length(content)),
    constraint blobs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
  // Documents and pictures are compressed already.
  `alter table blobs alter column content set storage external`,
];

/** Which run needs which file of its cases. */
const runBlobs = [
  `create table run_blobs (
    tenant_id uuid not null,
    run_id uuid not null,
    digest text not null,
    primary key (tenant_id, run_id, digest),
    constraint run_blobs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on update cascade on delete cascade,
    constraint run_blobs_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade,
    constraint run_blobs_tenant_id_digest_foreign
      foreign key (tenant_id, digest) references blobs (tenant_id, digest)
  )`,
  `create index run_blobs_digest_idx on run_blobs (tenant_id, digest)`,
];

const testSuiteRuns = [
  `create table test_suite_runs (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    suite_id uuid not null,
    run_id uuid not null,
    status text not null default 'pending',
    triggered_by text not null,
    triggered_by_user_id uuid,
    total_cases int not null default 0,
    passed_cases int not null default 0,
    failed_cases int not null default 0,
    skipped_cases int not null default 0,
    errored_cases int not null default 0,
    unwritten_cases int not null default 0,
    spent_usd double precision,
    spent_tokens bigint not null default 0,
    started_at timestamptz,
    completed_at timestamptz,
    ending jsonb,
    error_message text,
    failure_reason text,
    deadline_at timestamptz not null,
    suite_name text not null,
    suite_path text,
    agent_id uuid not null,
    agent_name text not null,
    agent_snapshot_id uuid,
    agent_hash text not null,
    setting_key text not null,
    variant text not null default 'head',
    purpose text not null default 'first',
    pool text not null default 'default',
    cell_key text not null,
    cell jsonb not null,
    resolved_variables jsonb,
    settings jsonb not null,
    fingerprint text,
    taken_from jsonb,
    calibration jsonb,
    clusters jsonb,
    early jsonb,
    looked_round int not null default 0,
    open_round int,
    verdict text,
    verdict_detail jsonb,
    shown_cases jsonb,
    baseline_suite_run_id uuid,
    sort_order int not null default 0,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint test_suite_runs_counters_check
      check (passed_cases >= 0 and failed_cases >= 0 and skipped_cases >= 0 and errored_cases <= failed_cases
        and passed_cases + failed_cases + skipped_cases <= total_cases),
    constraint test_suite_runs_status_check check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
    constraint test_suite_runs_triggered_by_check check (triggered_by in ('manual', 'schedule', 'ci', 'api')),
    constraint test_suite_runs_variant_check check (variant in ('head', 'baseline', 'candidate')),
    constraint test_suite_runs_purpose_check check (purpose in ('first', 'confirm', 'drift', 'rejudge', 'calibrate')),
    constraint test_suite_runs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint test_suite_runs_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint test_suite_runs_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade,
    constraint test_suite_runs_tenant_id_triggered_by_user_id_foreign
      foreign key (tenant_id, triggered_by_user_id) references users (tenant_id, id) on delete set null (triggered_by_user_id),
    constraint test_suite_runs_tenant_id_agent_id_foreign
      foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade,
    constraint test_suite_runs_tenant_id_agent_snapshot_id_foreign
      foreign key (tenant_id, agent_snapshot_id) references agent_snapshots (tenant_id, id) on delete set null (agent_snapshot_id)
  )`,
  `create unique index test_suite_runs_cell_key on test_suite_runs (run_id, suite_id, cell_key, variant, purpose, tenant_id)`,
  `create index test_suite_runs_suite_idx on test_suite_runs (suite_id)`,
  // A plain index: ids of tenants are random, and a block range of them holds all.
  `create index test_suite_runs_tenant_idx on test_suite_runs (tenant_id)`,
  `create index test_suite_runs_status_idx on test_suite_runs (status)`,
  `create index test_suite_runs_created_at_idx on test_suite_runs (created_at)`,
  `create index test_suite_runs_completed_at_idx on test_suite_runs (completed_at)`,
  `create index test_suite_runs_history_idx on test_suite_runs (suite_id, cell_key, created_at)`,
  `create index test_suite_runs_deadline_idx on test_suite_runs (deadline_at) where status in ('pending', 'running')`,
  `create index test_suite_runs_fingerprint_idx on test_suite_runs (fingerprint, created_at) where fingerprint is not null and taken_from is null`,
  // The newest suite runs of all cells of a suite.
  `create index test_suite_runs_curve_idx on test_suite_runs (suite_id, created_at)`,
  `create index test_suite_runs_unwritten_idx on test_suite_runs (run_id) where unwritten_cases > 0`,
  // What refers to a row is looked for when that row is removed.
  `create index test_suite_runs_agent_idx on test_suite_runs (agent_id)`,
  `create index test_suite_runs_agent_snapshot_idx on test_suite_runs (agent_snapshot_id)`,
  `create index test_suite_runs_baseline_idx on test_suite_runs (baseline_suite_run_id) where baseline_suite_run_id is not null`,
  `create index test_suite_runs_of_verdict_idx on test_suite_runs (tenant_id, verdict, created_at)`,
  `create index test_suite_runs_of_tenant_idx on test_suite_runs (tenant_id, created_at, id)`,
];

/** Lists of runs and suite runs are filtered by words: suite, agent, AI configuration, tag, value of a variable. */
const suiteRunFacets = [
  `create table suite_run_facets (
    tenant_id uuid not null,
    suite_run_id uuid not null,
    facet text not null,
    run_id uuid not null,
    created_at timestamptz not null,
    primary key (tenant_id, suite_run_id, facet),
    constraint suite_run_facets_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index suite_run_facets_time_idx on suite_run_facets (facet, created_at, run_id)`,
];

/** What was started: runs with their files, and a suite run for each suite, matrix cell, variant and purpose. */
export class KeepRuns extends Migration {
  override name = '0003-keep-runs';

  override up(): void {
    for (const sql of [...runs, ...runFiles, ...blobs, ...runBlobs, ...testSuiteRuns, ...suiteRunFacets])
      this.addSql(sql);
  }
}
