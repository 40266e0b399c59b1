import { Migration } from '@mikro-orm/migrations';

/** Messages and plans that wait are written once, read once and gone: to pack them takes the processor longer than the disk saves. */
export class StoreTextsAsTheyAre extends Migration {
  override name = '0045-store-texts-as-they-are';

  override up(): void {
    this.addSql(`alter table chunks alter column body set storage external`);
    this.addSql(`alter table queue_plan_parts alter column lines set storage external`);
  }
}
