import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

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
  `alter table rate_buckets enable row level security`,
  `alter table rate_buckets force row level security`,
  `create policy tenant_isolation on rate_buckets to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on rate_buckets to ${workerRole} using (true) with check (true)`,
  `grant select on rate_buckets to ${appRole}`,
  `grant select, insert, update, delete on rate_buckets to ${workerRole}`,
];

/** How often a model may be called, and what is left of it for all runners together. */
export class LimitCalls extends Migration {
  override name = '0017-limit-calls';

  override up(): void {
    for (const sql of [...rateBuckets, `alter table model_configurations add column limits jsonb`]) this.addSql(sql);
  }
}
