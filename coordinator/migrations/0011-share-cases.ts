import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const testSuiteMembers = [
  `create table test_suite_members (
    tenant_id uuid not null,
    suite_id uuid not null,
    test_case_id uuid not null,
    sort_order int not null default 0,
    created_at timestamptz not null default now(),
    primary key (tenant_id, suite_id, test_case_id),
    constraint test_suite_members_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on update cascade on delete cascade,
    constraint test_suite_members_tenant_id_suite_id_foreign
      foreign key (tenant_id, suite_id) references agent_test_suites (tenant_id, id) on delete cascade,
    constraint test_suite_members_tenant_id_test_case_id_foreign
      foreign key (tenant_id, test_case_id) references test_cases (tenant_id, id) on delete cascade
  )`,
  `create index test_suite_members_case_idx on test_suite_members (test_case_id)`,
  `alter table test_suite_members enable row level security`,
  `alter table test_suite_members force row level security`,
  `create policy tenant_isolation on test_suite_members to ${appRole} using (${owned}) with check (${owned})`,
  `grant select, insert, update, delete on test_suite_members to ${appRole}`,
];

const fileOfCase = [
  `alter table test_cases add column file text`,
  `create index test_cases_file_idx on test_cases (file) where file is not null`,
];

/** A case has one home suite; others may include it (C43). Files tell by the file that a case is written in. */
export class ShareCases extends Migration {
  override name = '0011-share-cases';

  override up(): void {
    for (const sql of [...testSuiteMembers, ...fileOfCase]) this.addSql(sql);
  }
}
