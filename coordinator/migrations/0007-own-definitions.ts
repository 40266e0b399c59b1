import { Migration } from '@mikro-orm/migrations';

/** Definitions of project files belong to their repository; without one they are the whole tenant's. */
const ofRepository = (table: string) => [
  `alter table ${table} add column repository_id uuid`,
  `alter table ${table} add constraint ${table}_tenant_id_repository_id_foreign
    foreign key (tenant_id, repository_id) references repositories (tenant_id, id) on delete cascade`,
  `drop index ${table}_name_key`,
  `create unique index ${table}_name_key on ${table} (tenant_id, repository_id, name) nulls not distinct where deleted_at is null`,
];

const changes = [
  ...['model_configurations', 'test_types', 'presets'].flatMap(ofRepository),
  `alter table model_configurations add column label text, add column description text`,
  `alter table repositories add column limits jsonb`,
  `alter table agents add column definition jsonb`,
  `alter table runs add column rerun_of uuid`,
  `alter table runs add constraint runs_tenant_id_rerun_of_foreign
    foreign key (tenant_id, rerun_of) references runs (tenant_id, id) on delete set null (rerun_of)`,
  `create index runs_rerun_of_idx on runs (rerun_of) where rerun_of is not null`,
];

/** What stored definitions need to be run like files: whose they are, and which run repeats which. */
export class OwnDefinitions extends Migration {
  override name = '0007-own-definitions';

  override up(): void {
    for (const sql of changes) this.addSql(sql);
  }
}
