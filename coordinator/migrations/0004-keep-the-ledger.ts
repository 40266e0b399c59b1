import { Migration } from '@mikro-orm/migrations';

/**
 * What test runs share is stored once. Not as jsonb, which sorts keys: an agent reads its tools and the answers of mocks as
 * text.
 */
const workContents = [
  `create table work_contents (
    tenant_id uuid not null,
    hash text not null,
    content json not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, hash),
    constraint work_contents_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/**
 * What is written once for each test run is checked against its suite run, which is checked against its tenant: a second check
 * of the tenant for each row was a tenth of the time of the ledger. The same holds for chunks, usage and summaries.
 */
const plannedTestRuns = [
  `create table planned_test_runs (
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
    resolved_variables jsonb,
    setting_hash text not null,
    case_content_hash text not null,
    seed text not null,
    primary key (tenant_id, test_run_id),
    constraint planned_test_runs_variant_check check (variant in ('head', 'baseline', 'candidate')),
    constraint planned_test_runs_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index planned_test_runs_suite_run_idx on planned_test_runs (suite_run_id)`,
];

/** A run is queued in steps: what is left of it waits here. */
const queuePlans = [
  `create table queue_plans (
    tenant_id uuid not null,
    run_id uuid not null,
    run_seed text not null,
    total int not null,
    settings text not null,
    parts int not null,
    rounds int not null,
    round int not null,
    part int not null,
    steps int not null default 0,
    primary key (tenant_id, run_id),
    constraint queue_plans_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
  )`,
];

const queuePlanParts = [
  `create table queue_plan_parts (
    tenant_id uuid not null,
    run_id uuid not null,
    part int not null,
    lines text not null,
    primary key (tenant_id, run_id, part),
    constraint queue_plan_parts_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references queue_plans (tenant_id, run_id) on delete cascade
  )`,
  // Written once, read once and gone, as messages.
  `alter table queue_plan_parts alter column lines set storage external`,
];

/**
 * Test runs are queued, published, claimed and leased in chunks. Room on each page for the next version of a row: what is
 * recorded changes no index.
 */
const chunks = [
  `create table chunks (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    suite_run_id uuid not null,
    base_suite_run_id uuid,
    run_id uuid not null,
    pool text not null default 'default',
    round int not null,
    position int not null default 0,
    members uuid[] not null,
    settled bigint not null default 0,
    open_count int not null,
    state text not null default 'queued',
    attempt int not null default 0,
    session_id uuid,
    claim_id uuid,
    holders uuid[] not null default '{}',
    crash_count int not null default 0,
    return_count int not null default 0,
    missed_beats int not null default 0,
    publish_gen int not null default 0,
    published_at timestamptz,
    setting_hashes text[] not null,
    body text,
    contents jsonb,
    primary key (tenant_id, id),
    constraint chunks_size_check check (cardinality(members) >= 1 and cardinality(members) <= 64),
    constraint chunks_open_check check (open_count >= 0 and open_count <= cardinality(members)),
    constraint chunks_holder_check check (state <> 'leased' or session_id is not null),
    constraint chunks_state_check check (state in ('queued', 'leased', 'done', 'closed')),
    constraint chunks_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  ) with (fillfactor = 60)`,
  // Written once, read once and gone: to pack it takes the processor longer than the disk saves.
  `alter table chunks alter column body set storage external`,
  `create index chunks_suite_run_idx on chunks (suite_run_id)`,
  // By run, so that one look finds what is next.
  `create index chunks_waiting_idx on chunks (run_id, round, position) where state = 'queued' and published_at is null`,
  `create index chunks_published_idx on chunks (pool) where state = 'queued' and published_at is not null`,
  `create index chunks_leased_idx on chunks (session_id) where state = 'leased'`,
  `create index chunks_open_idx on chunks (run_id) where state in ('queued', 'leased')`,
  `create index chunks_poison_idx on chunks (crash_count) where state = 'queued' and crash_count >= 3`,
];

/** The payload stands in the row: in a table of its own each result was checked against its row once more. */
const testCaseResults = [
  `create table test_case_results (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
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
    spent_usd double precision,
    model text,
    retry_count int not null default 0,
    adjustments jsonb,
    skip_reason text,
    resolved_variables jsonb,
    payload json,
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
  // A page of results in the order of the file.
  `create index test_case_results_run_idx on test_case_results (run_id, sort_order, repetition, id)`,
  `create index test_case_results_test_case_idx on test_case_results (test_case_id)`,
  `create index test_case_results_tenant_idx on test_case_results (tenant_id)`,
  // A case in another run of its suite.
  `create index test_case_results_name_idx on test_case_results (run_id, case_name)`,
];

/** What was accepted stands with its result: a row more for each test run was a tenth of what recording costs. */
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
    created_at timestamptz not null default now(),
    primary key (tenant_id, test_run_id, attempt, session_id),
    constraint attempt_usage_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index attempt_usage_suite_run_idx on attempt_usage (suite_run_id)`,
];

/** What simulated tools have answered in a run: runners that hear of it play equal calls equally. */
const simulatedAnswers = [
  `create table simulated_answers (
    tenant_id uuid not null,
    run_id uuid not null,
    key text not null,
    entry jsonb not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, run_id, key),
    constraint simulated_answers_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint simulated_answers_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
  )`,
  `create index simulated_answers_key_idx on simulated_answers (tenant_id, key)`,
];

/** What is to be done, who does it, and how each test run ended. */
export class KeepTheLedger extends Migration {
  override name = '0004-keep-the-ledger';

  override up(): void {
    for (const sql of [
      ...workContents,
      ...plannedTestRuns,
      ...queuePlans,
      ...queuePlanParts,
      ...chunks,
      ...testCaseResults,
      ...attemptUsage,
      ...simulatedAnswers,
    ])
      this.addSql(sql);
  }
}
