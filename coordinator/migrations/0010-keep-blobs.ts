import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const protect = (table: string, app: string) => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy tenant_isolation on ${table} to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on ${table} to ${workerRole} using (true) with check (true)`,
  `grant ${app} on ${table} to ${appRole}`,
  `grant select, delete on ${table} to ${workerRole}`,
];

const blobs = [
  `create table blobs (
    tenant_id uuid not null,
    digest text not null,
    size_bytes int not null,
    content bytea not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, digest),
    constraint blobs_digest_check check (digest ~ '^[0-9a-f]{64}$'),
    constraint blobs_size_check check (size_bytes = octet_length(content)),
    constraint blobs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
  // Documents and pictures are compressed already.
  `alter table blobs alter column content set storage external`,
  ...protect('blobs', 'select, insert, update'),
];

const runBlobs = [
  `create table run_blobs (
    tenant_id uuid not null,
    run_id uuid not null,
    digest text not null,
    primary key (tenant_id, run_id, digest),
    constraint run_blobs_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on update cascade on delete cascade,
    constraint run_blobs_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade,
    constraint run_blobs_tenant_id_digest_foreign
      foreign key (tenant_id, digest) references blobs (tenant_id, digest)
  )`,
  `create index run_blobs_digest_idx on run_blobs (tenant_id, digest)`,
  ...protect('run_blobs', 'select, insert'),
];

/** Files of cases by their content, and which run needs which. */
export class KeepBlobs extends Migration {
  override name = '0010-keep-blobs';

  override up(): void {
    for (const sql of [...blobs, ...runBlobs, `alter table test_run_leases add column contents jsonb`])
      this.addSql(sql);
  }
}
