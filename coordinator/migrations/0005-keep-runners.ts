import { Migration } from '@mikro-orm/migrations';

const runnerSessions = [
  `create table runner_sessions (
    id uuid not null default gen_random_uuid(),
    runner_id text not null,
    pool text not null,
    pools text[] not null default '{}',
    version text not null,
    slots int not null,
    waiting uuid[] not null default '{}',
    state text not null default 'open',
    lease_until timestamptz not null,
    created_at timestamptz not null default now(),
    primary key (id),
    constraint runner_sessions_state_check check (state in ('open', 'expired', 'closed'))
  )`,
  // Not on the end of the lease: heartbeats move it, and what changes no index costs less.
  `create index runner_sessions_open_idx on runner_sessions (pool) where state = 'open'`,
];

/** How often a model may be called, and what is left of it for all runners together. */
const rateBuckets = [
  `create table rate_buckets (
    tenant_id uuid not null,
    key text not null,
    rate double precision not null,
    burst double precision not null,
    tokens double precision not null,
    updated_at timestamptz not null,
    paused_until timestamptz,
    primary key (tenant_id, key),
    constraint rate_buckets_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** Which runner may have how many calls to a model under way. */
const callHolders = [
  `create table call_holders (
    tenant_id uuid not null,
    key text not null,
    session_id uuid not null,
    held integer not null,
    wants integer not null,
    primary key (tenant_id, key, session_id),
    constraint call_holders_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** Who executes test runs, and how often all of them together may call a model. */
export class KeepRunners extends Migration {
  override name = '0005-keep-runners';

  override up(): void {
    for (const sql of [...runnerSessions, ...rateBuckets, ...callHolders]) this.addSql(sql);
  }
}
