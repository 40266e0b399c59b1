import DataLoader from 'dataloader';
import type { Database } from '../database/transactions.ts';
import { callerOf, type GraphqlContext } from './context.ts';

/** Reads rows of the tenant by some of their keys, in any order. */
type Read<Row> = (database: Database, tenantId: string, keys: readonly string[]) => Promise<Row[]>;

/** The row with an id, or null: what a page of rows needs of another table is read once for the whole request. */
export function byId<Row extends { id: string }>(
  read: Read<Row>,
): (context: GraphqlContext, id: string) => Promise<Row | null> {
  const loaderOf = perRequest(read, (ids, rows) => {
    const known = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => known.get(id) ?? null);
  });
  return async (context, id) => await loaderOf(context).load(id);
}

/** The rows that belong to one key, in the order of the reading; read like those of `byId`. */
export function listBy<Row>(
  read: Read<Row>,
  keyOf: (row: Row) => string,
): (context: GraphqlContext, key: string) => Promise<Row[]> {
  const loaderOf = perRequest(read, (keys, rows) => keys.map((key) => rows.filter((row) => keyOf(row) === key)));
  return async (context, key) => await loaderOf(context).load(key);
}

// Nothing is kept from one request to the next: the context of a request is the key.
function perRequest<Row, Value>(read: Read<Row>, share: (keys: readonly string[], rows: Row[]) => Value[]) {
  const loaders = new WeakMap<GraphqlContext, DataLoader<string, Value>>();
  return (context: GraphqlContext): DataLoader<string, Value> => {
    const known = loaders.get(context);
    if (known !== undefined) return known;
    const { tenantId } = callerOf(context);
    const loader = new DataLoader<string, Value>(async (keys) =>
      share(keys, await read(context.ports.database, tenantId, keys)),
    );
    loaders.set(context, loader);
    return loader;
  };
}
