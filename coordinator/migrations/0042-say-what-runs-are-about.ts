import { Migration } from '@mikro-orm/migrations';

const own = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

/** Lists of runs and suite runs are filtered by words: suite, agent, AI configuration, tag, value of a variable. */
export class SayWhatRunsAreAbout extends Migration {
  override name = '0042-say-what-runs-are-about';

  override up(): void {
    this.addSql(`create table suite_run_facets (
      tenant_id uuid not null,
      suite_run_id uuid not null,
      facet text not null,
      run_id uuid not null,
      created_at timestamptz not null,
      primary key (tenant_id, suite_run_id, facet),
      constraint suite_run_facets_tenant_id_suite_run_id_foreign
        foreign key (tenant_id, suite_run_id) references test_suite_runs (tenant_id, id) on delete cascade
    )`);
    this.addSql(`create index suite_run_facets_time_idx on suite_run_facets (facet, created_at, run_id)`);
    // Whoever migrates owns the tables and belongs to no tenant.
    this.addSql(`alter table test_suite_runs no force row level security`);
    this.addSql(`insert into suite_run_facets (tenant_id, suite_run_id, facet, run_id, created_at)
      select s.tenant_id, s.id, f.facet, s.run_id, s.created_at from test_suite_runs s
      cross join lateral (
        select 'suite=' || s.suite_name as facet union select 'agent=' || s.agent_name
        union select left('value=' || v.key || '=' || v.value, 300)
          from jsonb_each(coalesce(s.resolved_variables -> 'values', '{}')) v) f
      where s.variant <> 'baseline' and s.purpose = 'first'`);
    this.addSql(`alter table test_suite_runs force row level security`);
    this.addSql(`alter table suite_run_facets enable row level security`);
    this.addSql(`alter table suite_run_facets force row level security`);
    this.addSql(
      `create policy tenant_isolation on suite_run_facets to proofmark_app using (${own}) with check (${own})`,
    );
    this.addSql(`grant select, insert on suite_run_facets to proofmark_app`);
    this.addSql(`create policy worker on suite_run_facets to proofmark_worker using (true) with check (true)`);
    this.addSql(`grant select, insert, delete on suite_run_facets to proofmark_worker`);
  }
}
