import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const simulatedAnswers = [
  `create table simulated_answers (
    tenant_id uuid not null,
    run_id uuid not null,
    key text not null,
    entry jsonb not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, run_id, key),
    constraint simulated_answers_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade,
    constraint simulated_answers_tenant_id_run_id_foreign
      foreign key (tenant_id, run_id) references runs (tenant_id, id) on delete cascade
  )`,
  `create index simulated_answers_key_idx on simulated_answers (tenant_id, key)`,
  `alter table simulated_answers enable row level security`,
  `alter table simulated_answers force row level security`,
  `create policy tenant_isolation on simulated_answers to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on simulated_answers to ${workerRole} using (true) with check (true)`,
  `grant select, insert on simulated_answers to ${appRole}`,
  `grant select, delete on simulated_answers to ${workerRole}`,
];

/** What simulated tools have answered in a run: runners that hear of it play equal calls equally. */
export class ShareSimulatedAnswers extends Migration {
  override name = '0016-share-simulated-answers';

  override up(): void {
    for (const sql of simulatedAnswers) this.addSql(sql);
  }
}
