import { type RawBuilder, sql } from 'kysely';
import { type Columns, unnest, unnestUncounted } from './unnest.ts';

/** The primary key of a row that belongs to a tenant. */
export interface RowKey {
  tenantId: string;
  id: string;
}

const columns: Columns<RowKey> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  id: { type: 'uuid', of: ({ id }) => id },
};

/** The keys as a subquery for `(tenant_id, id) in …`, or to join with. */
export const keysOf = (keys: readonly RowKey[]): RawBuilder<unknown> =>
  sql`(select k.tenant_id, k.id from ${unnest(keys, columns, 'k')})`;

/** The same in a prepared statement. */
export const keysUncounted = (keys: readonly RowKey[]): RawBuilder<unknown> =>
  sql`(select k.tenant_id, k.id from ${unnestUncounted(keys, columns, 'k')})`;

/** Each key once. */
export function uniqueKeys(keys: readonly RowKey[]): RowKey[] {
  return [...new Map(keys.map((key) => [`${key.tenantId} ${key.id}`, key])).values()];
}
