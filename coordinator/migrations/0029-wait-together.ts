import { Migration } from '@mikro-orm/migrations';

/** After an outage of all replicas every reaper waits, not only the one that has noticed it. */
export class WaitTogether extends Migration {
  override name = '0029-wait-together';

  override up(): void {
    this.addSql(`alter table coordinator_beats add column patient_until timestamptz`);
  }
}
