import { Migration } from '@mikro-orm/migrations';

const runnerSessions = [
  `create table runner_sessions (
    id uuid not null default gen_random_uuid(),
    runner_id text not null,
    pool text not null,
    version text not null,
    slots int not null,
    state text not null default 'open',
    lease_until timestamptz not null,
    created_at timestamptz not null default now(),
    primary key (id),
    constraint runner_sessions_state_check check (state in ('open', 'expired', 'closed'))
  )`,
  `create index runner_sessions_open_idx on runner_sessions (lease_until) where state = 'open'`,
];

const testRunLeases = [
  `create table test_run_leases (
    tenant_id uuid not null,
    test_run_id uuid not null,
    suite_run_id uuid not null,
    run_id uuid not null,
    test_case_id uuid not null,
    case_name text not null,
    case_key text not null,
    case_hash text not null,
    instrument_hash text not null,
    sort_order int not null default 0,
    line int,
    repetition int not null,
    variant text not null default 'head',
    pair_key text,
    work jsonb,
    resolved_variables jsonb not null,
    state text not null default 'queued',
    attempt int not null default 0,
    session_id uuid,
    claim_id uuid,
    crash_count int not null default 0,
    missed_beats int not null default 0,
    publish_gen int not null default 0,
    published_at timestamptz,
    primary key (tenant_id, test_run_id),
    constraint test_run_leases_holder_check check (state <> 'leased' or session_id is not null),
    constraint test_run_leases_variant_check check (variant in ('head', 'baseline', 'candidate')),
    constraint test_run_leases_state_check check (state in ('queued', 'leased', 'done', 'closed')),
    constraint test_run_leases_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint test_run_leases_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index test_run_leases_test_run_idx on test_run_leases (test_run_id)`,
  `create index test_run_leases_suite_run_idx on test_run_leases (suite_run_id)`,
  `create index test_run_leases_unpublished_idx on test_run_leases (repetition, sort_order, test_run_id) where state = 'queued' and published_at is null`,
  `create index test_run_leases_queued_idx on test_run_leases (run_id, pair_key) where state = 'queued'`,
  `create index test_run_leases_poison_idx on test_run_leases (crash_count) where state = 'queued' and crash_count >= 3`,
  `create index test_run_leases_leased_idx on test_run_leases (session_id) where state = 'leased'`,
];

const testCaseResults = [
  `create table test_case_results (
    tenant_id uuid not null,
    id uuid not null,
    run_id uuid not null,
    test_case_id uuid not null,
    status text not null,
    actual_response text,
    check_results jsonb,
    duration_ms int,
    error_message text,
    error_kind text,
    degraded boolean not null default false,
    truncated boolean not null default false,
    case_name text not null,
    case_key text not null,
    case_hash text not null,
    instrument_hash text not null,
    sort_order int not null default 0,
    line int,
    repetition int not null default 1,
    variant text not null default 'head',
    attempt int not null default 0,
    test_input text,
    tool_calls jsonb,
    tools_matched boolean,
    metric_results jsonb,
    latency_ms double precision,
    prompt_tokens int,
    completion_tokens int,
    cost_usd double precision,
    model text,
    retry_count int not null default 0,
    skip_reason text,
    resolved_variables jsonb,
    started_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint test_case_results_error_kind_check check ((status = 'error') = (error_kind is not null)),
    constraint test_case_results_status_check check (status in ('passed', 'failed', 'skipped', 'error')),
    constraint test_case_results_variant_check check (variant in ('head', 'baseline', 'candidate')),
    constraint test_case_results_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint test_case_results_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references test_suite_runs (tenant_id, id) on delete cascade,
    constraint test_case_results_tenant_id_test_case_id_foreign
      foreign key (tenant_id, test_case_id) references test_cases (tenant_id, id) on delete cascade
  )`,
  `create unique index test_case_results_once_key on test_case_results (run_id, test_case_id, repetition, variant, tenant_id)`,
  `create index test_case_results_run_idx on test_case_results (run_id)`,
  `create index test_case_results_test_case_idx on test_case_results (test_case_id)`,
  `create index test_case_results_tenant_idx on test_case_results using brin (tenant_id)`,
];

const testCasePayloads = [
  `create table test_case_payloads (
    tenant_id uuid not null,
    id uuid not null,
    work jsonb,
    outcome jsonb,
    primary key (tenant_id, id),
    constraint test_case_payloads_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint test_case_payloads_tenant_id_id_foreign
      foreign key (tenant_id, id) references test_case_results (tenant_id, id) on delete cascade
  )`,
];

const attemptUsage = [
  `create table attempt_usage (
    tenant_id uuid not null,
    test_run_id uuid not null,
    attempt int not null,
    session_id uuid not null,
    suite_run_id uuid not null,
    prompt_tokens int,
    completion_tokens int,
    cost_usd double precision,
    accepted boolean not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, test_run_id, attempt, session_id),
    constraint attempt_usage_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint attempt_usage_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index attempt_usage_suite_run_idx on attempt_usage (suite_run_id)`,
];

/** Who works on which test run, and how each one ended. */
export class CreateLedger extends Migration {
  override name = '0004-create-ledger';

  override up(): void {
    for (const sql of [...runnerSessions, ...testRunLeases, ...testCaseResults, ...testCasePayloads, ...attemptUsage])
      this.addSql(sql);
  }
}
