import { Migration } from '@mikro-orm/migrations';

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

/** One row per case and suite run, so that history, flakiness and trends need not read every result. */
const caseSummaries = [
  `create table case_summaries (
    tenant_id uuid not null,
    suite_run_id uuid not null,
    test_case_id uuid not null,
    suite_id uuid not null,
    cell_key text not null,
    setting_key text not null,
    agent_hash text not null,
    case_name text not null,
    case_key text not null,
    case_hash text not null,
    instrument_hash text not null,
    is_base boolean not null,
    is_history boolean not null,
    outcomes text not null,
    latency_ms double precision,
    tokens double precision,
    cost_usd double precision,
    ended_at timestamptz not null,
    primary key (tenant_id, suite_run_id, test_case_id),
    constraint case_summaries_outcomes_check check (outcomes ~ '^[pfei]+$'),
    constraint case_summaries_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade,
    constraint case_summaries_tenant_id_test_case_id_foreign
      foreign key (tenant_id, test_case_id) references test_cases (tenant_id, id) on delete cascade
  )`,
  // The newest summaries of each case of a cell, however many runs there were.
  `create index case_summaries_history_idx on case_summaries (suite_id, cell_key, case_key, ended_at) where is_history`,
  `create index case_summaries_test_case_idx on case_summaries (test_case_id, ended_at)`,
];

/** What labelled answers say about a judge, measured by runners beside a run and then kept for all that follow. */
const judgeCalibrations = [
  `create table judge_calibrations (
    tenant_id uuid not null,
    judge_hash text not null,
    labels_digest text not null,
    labels int not null,
    counts jsonb not null,
    problem text,
    created_at timestamptz not null default now(),
    primary key (tenant_id, judge_hash, labels_digest),
    constraint judge_calibrations_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** What verdicts lean on: base results, the history of each case, and how good a judge is. */
export class KeepWhatVerdictsNeed extends Migration {
  override name = '0006-keep-what-verdicts-need';

  override up(): void {
    for (const sql of [...baselines, ...caseSummaries, ...judgeCalibrations]) this.addSql(sql);
  }
}
