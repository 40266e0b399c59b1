import { Migration } from '@mikro-orm/migrations';

/** Which branches are base branches says an admin of the repository, and not the files of whoever sends a run. */
export class NameBaseBranches extends Migration {
  override name = '0035-name-base-branches';

  override up(): void {
    this.addSql(`alter table repositories add column baseline_branches text[] not null default '{}'`);
  }
}
