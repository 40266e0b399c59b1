import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const protect = (table: string, { app, worker }: { app: string; worker: string }) => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy tenant_isolation on ${table} to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on ${table} to ${workerRole} using (true) with check (true)`,
  `grant ${app} on ${table} to ${appRole}`,
  `grant ${worker} on ${table} to ${workerRole}`,
];

/** What was planned comes and goes, but never changes. */
const unchangeable = { app: 'select, insert, delete', worker: 'select, insert, delete' };
const everything = 'select, insert, update, delete';

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
  ...protect('work_contents', unchangeable),
];

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
    constraint planned_test_runs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint planned_test_runs_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  )`,
  `create index planned_test_runs_suite_run_idx on planned_test_runs (suite_run_id)`,
  ...protect('planned_test_runs', unchangeable),
];

const chunks = [
  // Room on each page for the next version of a row: what is recorded changes no index.
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
    constraint chunks_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint chunks_tenant_id_suite_run_id_foreign
      foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
  ) with (fillfactor = 60)`,
  `create index chunks_suite_run_idx on chunks (suite_run_id)`,
  `create index chunks_waiting_idx on chunks (suite_run_id, round, position) where state = 'queued' and published_at is null`,
  `create index chunks_published_idx on chunks (pool) where state = 'queued' and published_at is not null`,
  `create index chunks_leased_idx on chunks (session_id) where state = 'leased'`,
  `create index chunks_open_idx on chunks (run_id) where state in ('queued', 'leased')`,
  `create index chunks_poison_idx on chunks (crash_count) where state = 'queued' and crash_count >= 3`,
  ...protect('chunks', { app: everything, worker: everything }),
];

const rest = [
  `drop table test_run_leases`,
  `alter table test_case_payloads drop column work`,
  `alter table test_suite_runs drop column closing, add column ending jsonb, add column unwritten_cases int not null default 0,
    add column spent_usd double precision not null default 0, add column spent_tokens bigint not null default 0`,
  `create index test_suite_runs_unwritten_idx on test_suite_runs (run_id) where unwritten_cases > 0`,
  `alter table runner_sessions add column waiting uuid[] not null default '{}'`,
];

/** Test runs are queued, published, claimed and leased in chunks; what they share is stored once. */
export class CutRunsIntoChunks extends Migration {
  override name = '0025-cut-runs-into-chunks';

  override up(): void {
    for (const sql of [...workContents, ...plannedTestRuns, ...chunks, ...rest]) this.addSql(sql);
  }
}
