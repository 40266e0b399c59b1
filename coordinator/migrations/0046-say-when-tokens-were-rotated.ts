import { Migration } from '@mikro-orm/migrations';

/** A token has one successor: whoever rotates it again is told to rotate that one. */
export class SayWhenTokensWereRotated extends Migration {
  override name = '0046-say-when-tokens-were-rotated';

  override up(): void {
    this.addSql(`alter table api_tokens add column rotated_at timestamptz`);
  }
}
