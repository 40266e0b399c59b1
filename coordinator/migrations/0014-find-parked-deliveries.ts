import { Migration } from '@mikro-orm/migrations';

/** A few among all that was ever delivered, asked for every five minutes. */
export class FindParkedDeliveries extends Migration {
  override name = '0014-find-parked-deliveries';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was broken off leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists outbox_parked_idx');
    this.addSql(`create index concurrently outbox_parked_idx on outbox (next_try_at) where state = 'parked'`);
  }
}
