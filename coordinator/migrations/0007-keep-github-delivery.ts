import { Migration } from '@mikro-orm/migrations';

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
  `create index outbox_run_idx on outbox (run_id)`,
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

const webhookDeliveries = [
  `create table webhook_deliveries (
    delivery_id text not null,
    event text,
    payload jsonb,
    state text not null default 'done',
    tries int not null default 0,
    next_try_at timestamptz not null default now(),
    reason text,
    received_at timestamptz not null default now(),
    primary key (delivery_id),
    constraint webhook_deliveries_state_check check (state in ('due', 'done', 'parked'))
  )`,
  `create index webhook_deliveries_received_idx on webhook_deliveries (received_at)`,
  `create index webhook_deliveries_due_idx on webhook_deliveries (next_try_at) where state = 'due'`,
];

const installationPace = [
  `create table installation_pace (
    key text not null,
    next_write_at timestamptz not null default now(),
    primary key (key)
  )`,
];

/** What is told to GitHub, and what it tells. */
export class KeepGithubDelivery extends Migration {
  override name = '0007-keep-github-delivery';

  override up(): void {
    for (const sql of [...outbox, ...pullRequestStates, ...webhookDeliveries, ...installationPace]) this.addSql(sql);
  }
}
