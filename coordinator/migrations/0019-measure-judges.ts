import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const owned = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid`;

const purposes = ['first', 'confirm', 'drift', 'rejudge', 'calibrate'].map((purpose) => `'${purpose}'`).join(', ');

const suiteRuns = [
  `alter table test_suite_runs add column calibration jsonb, drop constraint test_suite_runs_purpose_check,
    add constraint test_suite_runs_purpose_check check (purpose in (${purposes}))`,
];

const judgeCalibrations = [
  `create table judge_calibrations (
    tenant_id uuid not null,
    judge_hash text not null,
    labels_digest text not null,
    labels int not null,
    counts jsonb not null,
    problem text,
    created_at timestamptz not null default now(),
    primary key (tenant_id, judge_hash, labels_digest),
    constraint judge_calibrations_tenant_id_foreign
      foreign key (tenant_id) references tenants (id) on delete cascade
  )`,
  `alter table judge_calibrations enable row level security`,
  `alter table judge_calibrations force row level security`,
  `create policy tenant_isolation on judge_calibrations to ${appRole} using (${owned}) with check (${owned})`,
  `create policy worker on judge_calibrations to ${workerRole} using (true) with check (true)`,
  `grant select on judge_calibrations to ${appRole}`,
  `grant select, insert on judge_calibrations to ${workerRole}`,
];

/** What labelled answers say about a judge, measured by runners beside a run and then kept for all that follow. */
export class MeasureJudges extends Migration {
  override name = '0019-measure-judges';

  override up(): void {
    for (const sql of [...suiteRuns, ...judgeCalibrations]) this.addSql(sql);
  }
}
