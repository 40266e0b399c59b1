import { Migration } from '@mikro-orm/migrations';

const tenants = [
  `create table tenants (
    id uuid not null default gen_random_uuid(),
    name text not null,
    created_at timestamptz not null default now(),
    primary key (id),
    constraint tenants_name_key unique (name)
  )`,
];

const users = [
  `create table users (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    login text not null,
    display_name text,
    kind text not null default 'person',
    role text not null default 'ci',
    external_id text,
    disabled_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint users_login_key unique (tenant_id, login),
    constraint users_kind_check check (kind in ('person', 'service')),
    constraint users_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
  // Whom a provider vouches for is one person of a tenant.
  `create unique index users_external_key on users (tenant_id, external_id) where external_id is not null`,
];

/** A repository of a forge belongs to one tenant. */
const repositories = [
  `create table repositories (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    host text not null,
    external_id text not null,
    owner_external_id text not null,
    full_name text not null,
    installation_id text,
    default_branch text,
    baseline_branches text[] not null default '{}',
    limits jsonb,
    claim_pins jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint repositories_external_key unique (tenant_id, host, external_id),
    constraint repositories_one_tenant_key unique (host, external_id),
    constraint repositories_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** An installation of the App belongs to one tenant: to the one whose repository was the first on it. */
const installations = [
  `create table installations (
    tenant_id uuid not null,
    host text not null,
    external_id text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, host, external_id),
    constraint installations_one_tenant_key unique (host, external_id),
    constraint installations_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** A session of a browser is a token that a cookie carries, and that ends with its parent, the token it was signed in with. */
const apiTokens = [
  `create table api_tokens (
    tenant_id uuid not null,
    id uuid not null default gen_random_uuid(),
    name text not null,
    token_hash text not null,
    kind text not null,
    scopes text[] not null default '{}',
    repository_id uuid,
    user_id uuid not null,
    parent_id uuid,
    claims jsonb,
    expires_at timestamptz,
    rotated_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    constraint api_tokens_kind_check check (kind in ('api', 'run', 'session')),
    constraint api_tokens_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint api_tokens_tenant_id_repository_id_foreign
      foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade,
    constraint api_tokens_tenant_id_user_id_foreign
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
  )`,
  `create index api_tokens_hash_idx on api_tokens (token_hash)`,
  `create index api_tokens_expires_idx on api_tokens (expires_at)`,
];

const usedTokenIds = [
  `create table used_token_ids (
    jti text not null,
    expires_at timestamptz not null,
    primary key (jti)
  )`,
  `create index used_token_ids_expires_idx on used_token_ids (expires_at)`,
];

const systemSettings = [
  `create table system_settings (
    tenant_id uuid not null,
    key text not null,
    value text not null,
    updated_at timestamptz not null default now(),
    primary key (tenant_id, key),
    constraint system_settings_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
];

/** Who uses a coordinator: tenants, their people, repositories and tokens, and the settings they keep. */
export class KeepTenantsAndAccess extends Migration {
  override name = '0001-keep-tenants-and-access';

  override up(): void {
    for (const sql of [
      ...tenants,
      ...users,
      ...repositories,
      ...installations,
      ...apiTokens,
      ...usedTokenIds,
      ...systemSettings,
    ])
      this.addSql(sql);
  }
}
