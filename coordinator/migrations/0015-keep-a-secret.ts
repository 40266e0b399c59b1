import { Migration } from '@mikro-orm/migrations';

const workerRole = 'proofmark_worker';

/** No request reads it: it is for the process alone. */
export class KeepASecret extends Migration {
  override name = '0015-keep-a-secret';

  override up(): void {
    this.addSql(`create table stored_secrets (
      name text not null,
      value text not null,
      created_at timestamptz not null default now(),
      primary key (name)
    )`);
    this.addSql('alter table stored_secrets enable row level security');
    this.addSql('alter table stored_secrets force row level security');
    this.addSql(`create policy worker on stored_secrets to ${workerRole} using (true) with check (true)`);
    this.addSql(`grant select, insert on stored_secrets to ${workerRole}`);
  }
}
