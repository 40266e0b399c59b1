import { Migration } from '@mikro-orm/migrations';

const modelConfigurations = [
  `create table model_configurations (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    repository_id uuid,
    name text not null,
    label text,
    description text,
    provider text not null,
    model text not null,
    base_url text,
    api_key_env text,
    temperature double precision,
    max_tokens int,
    seed int,
    reasoning_effort text,
    structured_output text,
    log_probabilities boolean,
    stream boolean,
    extra_body jsonb,
    price jsonb,
    limits jsonb,
    pool text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (tenant_id, id),
    constraint model_configurations_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint model_configurations_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade
  )`,
  `create unique index model_configurations_name_key on model_configurations (tenant_id, repository_id, name) nulls not distinct where deleted_at is null`,
];

const testTypes = [
  `create table test_types (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    repository_id uuid,
    name text not null,
    description text,
    variables_schema jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (tenant_id, id),
    constraint test_types_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint test_types_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade
  )`,
  `create unique index test_types_name_key on test_types (tenant_id, repository_id, name) nulls not distinct where deleted_at is null`,
];

const presets = [
  `create table presets (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    repository_id uuid,
    name text not null,
    "values" jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (tenant_id, id),
    constraint presets_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint presets_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade
  )`,
  `create unique index presets_name_key on presets (tenant_id, repository_id, name) nulls not distinct where deleted_at is null`,
];

const agents = [
  `create table agents (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    repository_id uuid,
    name text not null,
    config_path text,
    definition jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (tenant_id, id),
    constraint agents_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint agents_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade
  )`,
  `create unique index agents_name_key on agents (tenant_id, repository_id, name) nulls not distinct where deleted_at is null`,
];

const agentSnapshots = [
  `create table agent_snapshots (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    agent_id uuid not null,
    content_hash text not null,
    definition jsonb not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint agent_snapshots_content_key unique (tenant_id, agent_id, content_hash),
    constraint agent_snapshots_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint agent_snapshots_tenant_id_agent_id_foreign
      foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade
  )`,
];

const agentTestSuites = [
  `create table agent_test_suites (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    agent_id uuid not null,
    name text not null,
    description text,
    schedule_type text not null default 'manual',
    schedule_time text,
    schedule_day_of_week int,
    llm_judge_model_config_id uuid,
    alert_on_regression boolean not null default true,
    alert_threshold_percent int not null default 10,
    is_enabled boolean not null default true,
    created_by uuid not null,
    path text,
    definition jsonb,
    definition_hash text,
    test_type_id uuid,
    variables jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (tenant_id, id),
    constraint agent_test_suites_schedule_time_check check (schedule_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    constraint agent_test_suites_schedule_day_check check (schedule_day_of_week >= 0 and schedule_day_of_week <= 6),
    constraint agent_test_suites_alert_check check (alert_threshold_percent >= 1 and alert_threshold_percent <= 100),
    constraint agent_test_suites_schedule_type_check check (schedule_type in ('manual', 'hourly', 'daily', 'weekly')),
    constraint agent_test_suites_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint agent_test_suites_tenant_id_agent_id_foreign
      foreign key (tenant_id, agent_id) references agents (tenant_id, id) on delete cascade,
    constraint agent_test_suites_tenant_id_llm_judge_model_config_id_foreign
      foreign key (tenant_id, llm_judge_model_config_id) references model_configurations (tenant_id, id) on delete set null (llm_judge_model_config_id),
    constraint agent_test_suites_tenant_id_created_by_foreign
      foreign key (tenant_id, created_by) references users (tenant_id, id),
    constraint agent_test_suites_tenant_id_test_type_id_foreign
      foreign key (tenant_id, test_type_id) references test_types (tenant_id, id) on delete set null (test_type_id)
  )`,
  `create index agent_test_suites_tenant_idx on agent_test_suites (tenant_id)`,
  `create index agent_test_suites_agent_idx on agent_test_suites (agent_id)`,
  `create unique index agent_test_suites_agent_name_key on agent_test_suites (tenant_id, agent_id, name) where deleted_at is null`,
];

const testCases = [
  `create table test_cases (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    suite_id uuid not null,
    name text not null,
    description text,
    kind text not null default 'simulated',
    question text,
    expected_behavior jsonb,
    sort_order int not null default 0,
    is_enabled boolean not null default true,
    persona jsonb,
    initial_message text,
    user_context jsonb,
    max_turns int,
    expected_outcomes jsonb,
    expected_tool_calls jsonb,
    evaluation_criteria_override text,
    tags text[] not null default '{}',
    difficulty text not null default 'normal',
    status text not null default 'active',
    variables jsonb,
    definition jsonb,
    case_key text,
    file text,
    line int,
    flakiness double precision,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (tenant_id, id),
    constraint test_cases_name_check check (char_length(name) >= 1 and char_length(name) <= 255),
    constraint test_cases_question_check check (question is not null or kind = 'simulated'),
    constraint test_cases_kind_check check (kind in ('single', 'simulated')),
    constraint test_cases_difficulty_check check (difficulty in ('normal', 'hard')),
    constraint test_cases_status_check check (status in ('draft', 'active', 'archived')),
    constraint test_cases_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint test_cases_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade
  )`,
  `create index test_cases_suite_idx on test_cases (suite_id)`,
  `create index test_cases_tenant_idx on test_cases (tenant_id)`,
  `create index test_cases_tags_idx on test_cases using gin (tags)`,
  `create unique index test_cases_suite_name_key on test_cases (tenant_id, suite_id, name) where deleted_at is null`,
  `create index test_cases_file_idx on test_cases (file) where file is not null`,
];

/** A case has one home suite; others may include it. */
const testSuiteMembers = [
  `create table test_suite_members (
    tenant_id uuid not null,
    suite_id uuid not null,
    test_case_id uuid not null,
    sort_order int not null default 0,
    created_at timestamptz not null default now(),
    primary key (tenant_id, suite_id, test_case_id),
    constraint test_suite_members_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on update cascade on delete cascade,
    constraint test_suite_members_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint test_suite_members_tenant_id_test_case_id_foreign
      foreign key (tenant_id, test_case_id) references test_cases (tenant_id, id) on delete cascade
  )`,
  `create index test_suite_members_case_idx on test_suite_members (test_case_id)`,
];

/** Files of definitions by their content. */
const definitionFiles = [
  `create table definition_files (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    content_hash text not null,
    text text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint definition_files_content_key unique (tenant_id, content_hash),
    constraint definition_files_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** What is tested, and how. Names of tables, columns and indexes follow seed 002. */
export class KeepDefinitions extends Migration {
  override name = '0002-keep-definitions';

  override up(): void {
    for (const sql of [
      ...modelConfigurations,
      ...testTypes,
      ...presets,
      ...agents,
      ...agentSnapshots,
      ...agentTestSuites,
      ...testCases,
      ...testSuiteMembers,
      ...definitionFiles,
    ])
      this.addSql(sql);
  }
}
