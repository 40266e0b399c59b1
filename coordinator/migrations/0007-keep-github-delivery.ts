import { Migration } from '@mikro-orm/migrations';

const alerts = [
  `create table alert_channels (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    name text not null,
    kind text not null,
    suite_id uuid null,
    repository_id uuid null,
    recipients text[] not null default '{}',
    sealed_url text null,
    shown_url text null,
    events text[] not null,
    quiet_from text null,
    quiet_until text null,
    time_zone text null,
    is_enabled boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint alert_channels_name_key unique (tenant_id, name),
    constraint alert_channels_kind_check check (kind in ('webhook', 'slack', 'email', 'github_issue')),
    constraint alert_channels_tenant_id_foreign foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint alert_channels_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint alert_channels_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade
  )`,
  `create index alert_channels_suite_idx on alert_channels (suite_id)`,
  `create index alert_channels_repository_idx on alert_channels (repository_id)`,
  `create table alerts (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    kind text not null,
    suite_id uuid null,
    suite_name text null,
    cell_key text not null default '',
    run_id uuid null,
    suite_run_id uuid null,
    facts jsonb not null default '{}',
    dedupe_key text not null,
    resolves uuid null,
    ended_at timestamptz null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint alerts_dedupe_key unique (tenant_id, dedupe_key),
    constraint alerts_kind_check
      check (kind in ('regression', 'newly_flaky', 'budget', 'nothing_executed', 'recovered', 'test')),
    constraint alerts_tenant_id_foreign foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint alerts_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint alerts_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
  )`,
  `create index alerts_run_idx on alerts (run_id)`,
  `create index alerts_suite_idx on alerts (suite_id)`,
  `create index alerts_time_idx on alerts (tenant_id, created_at, id)`,
  // What goes on is told once, however many runs see it.
  `create unique index alerts_open_key on alerts (tenant_id, suite_id, cell_key, kind)
    where ended_at is null and kind in ('regression', 'nothing_executed')`,
];

const outbox = [
  `create table outbox (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    kind text not null,
    dedupe_key text not null,
    run_id uuid,
    alert_id uuid,
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
    constraint outbox_kind_check check (kind in ('finish-suite-run', 'github-check', 'github-comment', 'alert')),
    constraint outbox_subject_check
      check ((kind = 'alert') = (alert_id is not null) and (kind = 'alert') = (run_id is null)),
    constraint outbox_state_check check (state in ('due', 'done', 'parked')),
    constraint outbox_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint outbox_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade,
    constraint outbox_tenant_id_alert_id_foreign
      foreign key (tenant_id, alert_id) references alerts (tenant_id, id) on delete cascade
  )`,
  `create index outbox_due_idx on outbox (next_try_at) where state = 'due'`,
  `create index outbox_run_idx on outbox (run_id)`,
  `create index outbox_alert_idx on outbox (alert_id) where alert_id is not null`,
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

/** What people and GitHub are told, and what GitHub tells. */
export class KeepGithubDelivery extends Migration {
  override name = '0007-keep-github-delivery';

  override up(): void {
    for (const sql of [...alerts, ...outbox, ...pullRequestStates, ...webhookDeliveries, ...installationPace])
      this.addSql(sql);
  }
}
