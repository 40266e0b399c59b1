import { Migration } from '@mikro-orm/migrations';

/** What a run is about, whoever asks, and which jobs wait for it: another job with the same content joins it. */
export class JoinJobs extends Migration {
  override name = '0044-join-jobs';

  override up(): void {
    this.addSql(`alter table runs add column content_hash text null, add column jobs text[] not null default '{}'`);
  }
}
