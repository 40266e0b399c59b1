import { Migration } from '@mikro-orm/migrations';

const runColumns = [
  `alter table runs add column base_agents jsonb, add column rerun_kind text,
    add constraint runs_rerun_kind_check check (rerun_kind in ('requested', 'failed', 'baseline'))`,
];

const takenResults = [
  `alter table test_suite_runs add column fingerprint text, add column taken_from jsonb`,
  `create index test_suite_runs_fingerprint_idx on test_suite_runs (fingerprint, created_at) where fingerprint is not null and taken_from is null`,
];

const queuedDeliveries = [
  `alter table webhook_deliveries add column event text, add column payload jsonb, add column state text not null default 'done',
    add column tries int not null default 0, add column next_try_at timestamptz not null default now(), add column reason text,
    add constraint webhook_deliveries_state_check check (state in ('due', 'done', 'parked'))`,
  `create index webhook_deliveries_due_idx on webhook_deliveries (next_try_at) where state = 'due'`,
];

/** Results that equal content has already, the agents of a merge base, and deliveries that wait for their turn. */
export class TakeOverResults extends Migration {
  override name = '0012-take-over-results';

  override up(): void {
    for (const sql of [...runColumns, ...takenResults, ...queuedDeliveries]) this.addSql(sql);
  }
}
