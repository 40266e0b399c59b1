import { Migration } from '@mikro-orm/migrations';

/** Suite runs go to the runners of a pool, and a runner may serve several. */
export class NamePools extends Migration {
  override name = '0036-name-pools';

  override up(): void {
    this.addSql(`alter table test_suite_runs add column pool text not null default 'default'`);
    this.addSql(`alter table runs add column pools_without_runners text[] not null default '{}'`);
    this.addSql(`alter table model_configurations add column pool text null`);
    this.addSql(`alter table runner_sessions add column pools text[] not null default '{}'`);
  }
}
