import { Migration } from '@mikro-orm/migrations';

/** Whom a provider vouches for is one person of a tenant. */
export class KnowPeopleByProvider extends Migration {
  override name = '0014-know-people-by-provider';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      'create unique index concurrently if not exists users_external_key on users (tenant_id, external_id) where external_id is not null',
    );
  }
}
