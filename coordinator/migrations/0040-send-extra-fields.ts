import { Migration } from '@mikro-orm/migrations';

/** Fields of a call that only the server of a model knows; null: none. */
export class SendExtraFields extends Migration {
  override name = '0040-send-extra-fields';

  override up(): void {
    this.addSql('alter table model_configurations add column extra_body jsonb null');
  }
}
