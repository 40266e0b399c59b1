import { Migration } from '@mikro-orm/migrations';

/** Which steps of the schema a coordinator has to know: without them it would look for what is gone. */
export class SayWhoMayServe extends Migration {
  override name = '0030-say-who-may-serve';

  override up(): void {
    this.addSql(`create table schema_needs (
      name text not null,
      noted_at timestamptz not null default now(),
      primary key (name)
    )`);
    this.addSql(`alter table schema_needs enable row level security`);
    this.addSql(`alter table schema_needs force row level security`);
    this.addSql(`create policy worker on schema_needs to proofmark_worker using (true) with check (true)`);
    this.addSql(`create policy owner on schema_needs to proofmark_owner using (true) with check (true)`);
    this.addSql(`grant select on schema_needs to proofmark_worker`);
  }
}
