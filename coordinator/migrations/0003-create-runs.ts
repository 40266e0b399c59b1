import { Migration } from '@mikro-orm/migrations';

const runs = [
  `create table runs (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    idempotency_key text not null,
    request_hash text not null,
    status text not null default 'pending',
    triggered_by text not null,
    trigger jsonb not null,
    repository_id uuid,
    event text,
    head_sha text,
    base_sha text,
    merge_base_sha text,
    pull_request int,
    ref text,
    is_base boolean not null default false,
    run_seed text not null,
    requested jsonb not null,
    settings jsonb not null,
    environment jsonb not null,
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
    constraint runs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint runs_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade,
    constraint runs_tenant_id_created_by_foreign
      foreign key (tenant_id, created_by) references users (tenant_id, id)
  )`,
  `create index runs_created_at_idx on runs (tenant_id, created_at, id)`,
  `create index runs_pull_request_idx on runs (tenant_id, repository_id, pull_request) where pull_request is not null`,
  `create index runs_base_idx on runs (tenant_id, repository_id, head_sha) where is_base`,
  `create index runs_active_idx on runs (tenant_id, id) where status in ('pending', 'running')`,
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
    started_at timestamptz,
    completed_at timestamptz,
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
    cell_key text not null,
    cell jsonb not null,
    resolved_variables jsonb,
    settings jsonb not null,
    verdict text,
    verdict_detail jsonb,
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
  `create unique index test_suite_runs_cell_key on test_suite_runs (run_id, suite_id, cell_key, variant, tenant_id)`,
  `create index test_suite_runs_suite_idx on test_suite_runs (suite_id)`,
  `create index test_suite_runs_tenant_idx on test_suite_runs using brin (tenant_id)`,
  `create index test_suite_runs_status_idx on test_suite_runs (status)`,
  `create index test_suite_runs_created_at_idx on test_suite_runs (created_at)`,
  `create index test_suite_runs_completed_at_idx on test_suite_runs (completed_at)`,
  `create index test_suite_runs_history_idx on test_suite_runs (suite_id, cell_key, created_at)`,
  `create index test_suite_runs_deadline_idx on test_suite_runs (deadline_at) where status in ('pending', 'running')`,
];

const baselines = [
  `create table baselines (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    suite_id uuid not null,
    cell_key text not null,
    commit_sha text not null,
    suite_run_id uuid not null,
    agent_hash text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint baselines_commit_key unique (tenant_id, suite_id, cell_key, commit_sha),
    constraint baselines_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint baselines_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint baselines_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index baselines_agent_hash_idx on baselines (tenant_id, suite_id, cell_key, agent_hash, created_at)`,
  `create index baselines_suite_run_idx on baselines (tenant_id, suite_run_id)`,
];

const outbox = [
  `create table outbox (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    kind text not null,
    dedupe_key text not null,
    run_id uuid not null,
    suite_run_id uuid,
    subject jsonb not null default '{}',
    wanted_version int not null default 1,
    observed_version int not null default 0,
    external_id text,
    state text not null default 'due',
    reason text,
    tries int not null default 0,
    next_try_at timestamptz not null default now(),
    lease_until timestamptz,
    lease_owner text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint outbox_dedupe_key unique (tenant_id, kind, dedupe_key),
    constraint outbox_kind_check check (kind in ('finish-suite-run', 'github-check', 'github-comment')),
    constraint outbox_state_check check (state in ('due', 'done', 'parked')),
    constraint outbox_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint outbox_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
  )`,
  `create index outbox_due_idx on outbox (next_try_at) where state = 'due'`,
  `create index outbox_run_idx on outbox (tenant_id, run_id)`,
];

const pullRequestStates = [
  `create table pull_request_states (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    repository_id uuid not null,
    number int not null,
    head_sha text not null,
    generation int not null default 0,
    updated_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint pull_request_states_number_key unique (tenant_id, repository_id, number),
    constraint pull_request_states_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint pull_request_states_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade
  )`,
];

/** Runs, their suite runs, and the effects that they have outside. */
export class CreateRuns extends Migration {
  override name = '0003-create-runs';

  override up(): void {
    for (const sql of [...runs, ...runFiles, ...testSuiteRuns, ...baselines, ...outbox, ...pullRequestStates])
      this.addSql(sql);
  }
}
