import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const callHolders = [
  `create table call_holders (
    tenant_id uuid not null,
    key text not null,
    session_id uuid not null,
    held integer not null,
    wants integer not null,
    primary key (tenant_id, key, session_id),
    constraint call_holders_tenant_id_foreign foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
  `alter table call_holders enable row level security`,
  `alter table call_holders force row level security`,
  `create policy tenant_isolation on call_holders to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on call_holders to ${workerRole} using (true) with check (true)`,
  `grant select on call_holders to ${appRole}`,
  `grant select, insert, update, delete on call_holders to ${workerRole}`,
];

/** Which runner may have how many calls to a model under way. */
export class LimitCallsUnderWay extends Migration {
  override name = '0037-limit-calls-under-way';

  override up(): void {
    for (const sql of callHolders) this.addSql(sql);
  }
}
