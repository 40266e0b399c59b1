import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const protect = (table: string) => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy tenant_isolation on ${table} to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on ${table} to ${workerRole} using (true) with check (true)`,
  `grant select, insert, delete on ${table} to ${appRole}`,
  `grant select, insert, update, delete on ${table} to ${workerRole}`,
];

/** A run is queued in steps: what is left of it waits here. */
export class QueueRunsInSteps extends Migration {
  override name = '0027-queue-runs-in-steps';

  override up(): void {
    this.addSql(`create table queue_plans (
      tenant_id uuid not null,
      run_id uuid not null,
      run_seed text not null,
      total int not null,
      settings text not null,
      parts int not null,
      rounds int not null,
      round int not null,
      part int not null,
      steps int not null default 0,
      primary key (tenant_id, run_id),
      constraint queue_plans_tenant_id_run_id_foreign
        foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
    )`);
    this.addSql(`create table queue_plan_parts (
      tenant_id uuid not null,
      run_id uuid not null,
      part int not null,
      lines text not null,
      primary key (tenant_id, run_id, part),
      constraint queue_plan_parts_tenant_id_run_id_foreign
        foreign key (tenant_id, run_id) references queue_plans (tenant_id, run_id) on delete cascade
    )`);
    for (const sql of [...protect('queue_plans'), ...protect('queue_plan_parts')]) this.addSql(sql);
  }
}
