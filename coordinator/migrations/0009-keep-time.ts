import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const protect = (table: string) => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy tenant_isolation on ${table} to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on ${table} to ${workerRole} using (true) with check (true)`,
  `grant select on ${table} to ${appRole}`,
  `grant select, insert, update, delete on ${table} to ${workerRole}`,
];

const retentionPasses = [
  `create table retention_passes (
    tenant_id uuid not null,
    due_at timestamptz not null,
    taken_at timestamptz not null default now(),
    finished_at timestamptz,
    removed jsonb,
    primary key (tenant_id, due_at),
    constraint retention_passes_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
  ...protect('retention_passes'),
];

const scheduledRuns = [
  `create table scheduled_runs (
    tenant_id uuid not null,
    suite_id uuid not null,
    window_start timestamptz not null,
    due_at timestamptz not null,
    taken_at timestamptz not null default now(),
    state text not null default 'taken',
    run_id uuid,
    reason text,
    primary key (tenant_id, suite_id, window_start),
    constraint scheduled_runs_state_check check (state in ('taken', 'started', 'refused')),
    constraint scheduled_runs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint scheduled_runs_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint scheduled_runs_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete set null (run_id)
  )`,
  `create index scheduled_runs_run_idx on scheduled_runs (run_id) where run_id is not null`,
  ...protect('scheduled_runs'),
];

/** What happens by the clock: one row decides which replica does it, and tells later what came of it. */
export class KeepTime extends Migration {
  override name = '0009-keep-time';

  override up(): void {
    for (const sql of [...retentionPasses, ...scheduledRuns]) this.addSql(sql);
  }
}
