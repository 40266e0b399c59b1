import { Migration } from '@mikro-orm/migrations';

/** One row decides which replica does it, and tells later what came of it. */
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
    constraint scheduled_runs_state_check check (state in ('waiting', 'taken', 'started', 'refused')),
    constraint scheduled_runs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint scheduled_runs_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint scheduled_runs_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete set null (run_id)
  )`,
  `create index scheduled_runs_run_idx on scheduled_runs (run_id) where run_id is not null`,
];

const coordinatorBeats = [
  `create table coordinator_beats (
    id text not null,
    beat_at timestamptz not null default now(),
    patient_until timestamptz,
    primary key (id)
  )`,
];

const deadLetters = [
  `create table dead_letters (
    id uuid not null default gen_random_uuid(),
    subject text not null,
    reason text not null,
    payload text not null,
    created_at timestamptz not null default now(),
    primary key (id)
  )`,
  `create index dead_letters_created_at_idx on dead_letters (created_at)`,
];

/** No request reads them: they are for the process alone. */
const storedSecrets = [
  `create table stored_secrets (
    name text not null,
    value text not null,
    created_at timestamptz not null default now(),
    primary key (name)
  )`,
];

/** Which steps of the schema a coordinator has to know: without them it would look for what is gone. */
const schemaNeeds = [
  `create table schema_needs (
    name text not null,
    noted_at timestamptz not null default now(),
    primary key (name)
  )`,
];

/** What the loops remember of the clock, of each other, and of what nobody could read. */
export class RememberUpkeep extends Migration {
  override name = '0008-remember-upkeep';

  override up(): void {
    for (const sql of [
      ...retentionPasses,
      ...scheduledRuns,
      ...coordinatorBeats,
      ...deadLetters,
      ...storedSecrets,
      ...schemaNeeds,
    ])
      this.addSql(sql);
  }
}
