import { Migration } from '@mikro-orm/migrations';

const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';
const ownerRole = 'proofmark_owner';
// After a commit the setting is '' and not null, and '' is no uuid.
const currentTenant = `nullif(current_setting('app.tenant_id', true), '')::uuid`;

type Grants = {
  /** What requests may do with the rows of their tenant. */
  app?: string;
  /** What the loops may do with everybody's rows. */
  worker?: string;
};

const everything = 'select, insert, update, delete';
/** Planned and final rows: they come and go, but never change. */
const unchangeable = 'select, insert, delete';

const tables: Record<string, Grants> = {
  tenants: { app: 'select', worker: 'select, insert' },
  // Whoever signs in by name has no tenant before.
  users: { app: everything, worker: 'select, insert, update (external_id)' },
  // Keys over all tenants would tell a request that writes them what others have.
  repositories: { app: 'select, update (limits, updated_at)', worker: 'select, insert, update' },
  installations: { app: 'select', worker: 'select, insert, delete' },
  api_tokens: { app: everything, worker: everything },
  used_token_ids: { worker: everything },
  system_settings: { app: everything, worker: 'select' },
  // Nobody changes what was noted; requests cannot even remove it.
  audit_entries: { app: 'select, insert', worker: unchangeable },

  model_configurations: { app: everything },
  test_types: { app: everything },
  presets: { app: everything },
  agents: { app: everything, worker: 'select' },
  agent_snapshots: { app: everything, worker: 'select, delete' },
  agent_test_suites: { app: everything, worker: 'select' },
  test_cases: { app: everything, worker: 'select, update (flakiness)' },
  test_suite_members: { app: everything },
  definition_files: { app: everything, worker: 'select, delete' },

  runs: { app: everything, worker: 'select, update, delete' },
  run_files: { app: everything, worker: 'select, delete' },
  blobs: { app: 'select, insert, update', worker: 'select, delete' },
  run_blobs: { app: 'select, insert', worker: 'select, delete' },
  test_suite_runs: { app: everything, worker: everything },
  suite_run_facets: { app: 'select, insert', worker: unchangeable },

  work_contents: { app: unchangeable, worker: unchangeable },
  planned_test_runs: { app: unchangeable, worker: unchangeable },
  queue_plans: { app: unchangeable, worker: everything },
  queue_plan_parts: { app: unchangeable, worker: everything },
  chunks: { app: everything, worker: everything },
  test_case_results: { app: unchangeable, worker: unchangeable },
  attempt_usage: { app: unchangeable, worker: unchangeable },
  simulated_answers: { app: 'select, insert', worker: 'select, delete' },

  runner_sessions: { worker: everything },
  rate_buckets: { app: 'select', worker: everything },
  call_holders: { app: 'select', worker: everything },

  baselines: { app: everything, worker: everything },
  case_summaries: { app: 'select', worker: unchangeable },
  judge_calibrations: { app: 'select', worker: 'select, insert' },

  alert_channels: { app: everything, worker: 'select' },
  alerts: { app: 'select, insert', worker: everything },
  outbox: { app: everything, worker: everything },
  pull_request_states: { app: everything, worker: everything },
  webhook_deliveries: { worker: everything },
  installation_pace: { worker: everything },

  retention_passes: { app: 'select', worker: everything },
  scheduled_runs: { app: 'select', worker: everything },
  coordinator_beats: { worker: everything },
  dead_letters: { worker: everything },
  stored_secrets: { worker: 'select, insert' },
  schema_needs: { worker: 'select' },
};

/** Row-level security on every table, forced so that it binds the owner too, and the least that each login needs. */
export class ProtectTenants extends Migration {
  override name = '0010-protect-tenants';

  override up(): void {
    for (const [table, grants] of Object.entries(tables)) this.protect(table, grants);
    // Whoever migrates notes there what coordinators have to know.
    this.addSql(`create policy owner on schema_needs to ${ownerRole} using (true) with check (true)`);
    // Start-up compares the migrations that ran with those it knows.
    this.addSql(`grant select on schema_migrations to ${appRole}, ${workerRole}`);
  }

  private protect(table: string, { app, worker }: Grants): void {
    this.addSql(`alter table ${table} enable row level security`);
    this.addSql(`alter table ${table} force row level security`);
    if (app !== undefined) {
      const owned = `${table === 'tenants' ? 'id' : 'tenant_id'} = ${currentTenant}`;
      this.addSql(`create policy tenant_isolation on ${table} to ${appRole} using (${owned}) with check (${owned})`);
      this.addSql(`grant ${app} on ${table} to ${appRole}`);
    }
    if (worker !== undefined) {
      this.addSql(`create policy worker on ${table} to ${workerRole} using (true) with check (true)`);
      this.addSql(`grant ${worker} on ${table} to ${workerRole}`);
    }
  }
}
