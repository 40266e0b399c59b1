import { Migration } from '@mikro-orm/migrations';

/** A session of a browser is a token that a cookie carries, and that ends with the token it was signed in with. */
export class SignBrowsersIn extends Migration {
  override name = '0011-sign-browsers-in';

  override up(): void {
    this.addSql('alter table api_tokens drop constraint api_tokens_kind_check');
    this.addSql(
      `alter table api_tokens add constraint api_tokens_kind_check check (kind in ('api', 'run', 'session')) not valid`,
    );
    this.addSql('alter table api_tokens add column parent_id uuid');
  }
}
