import { Migration } from '@mikro-orm/migrations';

export class RememberWhoJoined extends Migration {
  override name = '0010-remember-who-joined';

  override up(): void {
    this.addSql(`alter table "runs" add column "joined" jsonb not null default '{}'`);
  }
}
