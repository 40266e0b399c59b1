import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const caseSummaries = [
  `create table case_summaries (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
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
    primary key (tenant_id, id),
    constraint case_summaries_outcomes_check check (outcomes ~ '^[pfei]+$'),
    constraint case_summaries_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint case_summaries_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade,
    constraint case_summaries_tenant_id_test_case_id_foreign
      foreign key (tenant_id, test_case_id) references test_cases (tenant_id, id) on delete cascade
  )`,
  `create unique index case_summaries_once_key on case_summaries (suite_run_id, test_case_id, tenant_id)`,
  `create index case_summaries_history_idx on case_summaries (suite_id, cell_key, ended_at) where is_history`,
  `create index case_summaries_test_case_idx on case_summaries (test_case_id, ended_at)`,
  `alter table case_summaries enable row level security`,
  `alter table case_summaries force row level security`,
  `create policy tenant_isolation on case_summaries to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on case_summaries to ${workerRole} using (true) with check (true)`,
  `grant select on case_summaries to ${appRole}`,
  `grant select, insert, delete on case_summaries to ${workerRole}`,
];

/** What a verdict may need after the first look: more trials of one side or of both, and why a run ended early. */
const furtherSuiteRuns = [
  `alter table test_suite_runs add column purpose text not null default 'first', add column clusters jsonb,
    add column early jsonb,
    add column looked_round int not null default 0, add column open_round int, add constraint test_suite_runs_purpose_check check (purpose in ('first', 'confirm', 'drift'))`,
  `drop index test_suite_runs_cell_key`,
  `create unique index test_suite_runs_cell_key on test_suite_runs (run_id, suite_id, cell_key, variant, purpose, tenant_id)`,
  `grant insert on test_suite_runs, test_run_leases to ${workerRole}`,
  `alter table runs add column base_commit text, add column base_ancestors text[]`,
];

/** One row per case and suite run, so that history, flakiness and trends need not read every result. */
export class KeepCaseHistory extends Migration {
  override name = '0008-keep-case-history';

  override up(): void {
    for (const sql of [...caseSummaries, ...furtherSuiteRuns]) this.addSql(sql);
  }
}
