import DataLoader from 'dataloader';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { type Database, readInTenant } from '../database/transactions.ts';
import { callerOf, type GraphqlContext } from './context.ts';

/** Reads rows of the tenant by some of their keys, in any order. */
type Read<Row> = (database: Database, tenantId: string, keys: readonly string[]) => Promise<Row[]>;

/** The row with an id, or null: what a page of rows needs of another table is read once for the whole request. */
export function byId<Row extends { id: string }>(
  read: Read<Row>,
): (context: GraphqlContext, id: string) => Promise<Row | null> {
  const loaderOf = perRequest(async (database, tenantId, ids: readonly string[]) => {
    const known = new Map((await read(database, tenantId, ids)).map((row) => [row.id, row]));
    return ids.map((id) => known.get(id) ?? null);
  });
  return async (context, id) => await loaderOf(context).load(id);
}

/** The rows that belong to one key, in the order of the reading; read like those of `byId`. */
export function listBy<Row>(
  read: Read<Row>,
  keyOf: (row: Row) => string,
): (context: GraphqlContext, key: string) => Promise<Row[]> {
  const loaderOf = perRequest(async (database, tenantId, keys: readonly string[]) => {
    const rows = Map.groupBy(await read(database, tenantId, keys), keyOf);
    return keys.map((key) => rows.get(key) ?? []);
  });
  return async (context, key) => await loaderOf(context).load(key);
}

/** In the SQL of a list that hangs on rows: the id of the row that it hangs on. */
export const owner: RawBuilder<string> = sql`owners.id`;

/** The same list for each of these owners, in the order of the list. */
const forEach = <Row>(
  owners: readonly string[],
  list: RawBuilder<Row>,
): RawBuilder<Row & { ownerId: string }> => sql`${prepared}
  select q.*, owners.id as "ownerId" from unnest(${owners}::uuid[]) with ordinality owners(id, at)
  cross join lateral (select p.*, row_number() over () as place from (${list}) p) q order by owners.at, q.place`;

/**
 * Lists that hang on rows, such as the first test runs of each suite run: read once for all rows that ask for the same part
 * of theirs. The SQL says `owner` for the row, and how the list is ordered and cut.
 */
export function listOf<Row, Question extends object>(
  select: (question: Question, context: GraphqlContext) => RawBuilder<Row>,
): (context: GraphqlContext, ownerId: string, question: Question) => Promise<Row[]> {
  const loaders = new WeakMap<GraphqlContext, Map<string, DataLoader<string, Row[]>>>();
  return async (context, ownerId, question) => {
    const known = loaders.get(context) ?? new Map<string, DataLoader<string, Row[]>>();
    loaders.set(context, known);
    const key = JSON.stringify(question);
    const loader =
      known.get(key) ??
      new DataLoader<string, Row[]>(async (owners) => {
        const list = forEach(owners, select(question, context));
        const rows = Map.groupBy(
          await readInTenant(context.ports.database, callerOf(context).tenantId, list),
          ({ ownerId: of }) => of,
        );
        return owners.map((id) => rows.get(id) ?? []);
      });
    known.set(key, loader);
    return await loader.load(ownerId);
  };
}

/** What is made of each of these rows, in their order: for what needs more of a row than its id. An error is that of its row alone. */
export function byRow<Row, Value>(
  read: (
    database: Database,
    tenantId: string,
    rows: readonly Row[],
    context: GraphqlContext,
  ) => Promise<(Value | Error)[]>,
): (context: GraphqlContext, row: Row) => Promise<Value> {
  const loaderOf = perRequest(read);
  return async (context, row) => await loaderOf(context).load(row);
}

// Nothing is kept from one request to the next: the context of a request is the key.
function perRequest<Key, Value>(
  read: (
    database: Database,
    tenantId: string,
    keys: readonly Key[],
    context: GraphqlContext,
  ) => Promise<(Value | Error)[]>,
): (context: GraphqlContext) => DataLoader<Key, Value> {
  const loaders = new WeakMap<GraphqlContext, DataLoader<Key, Value>>();
  return (context) => {
    const known = loaders.get(context);
    if (known !== undefined) return known;
    const { tenantId } = callerOf(context);
    const loader = new DataLoader<Key, Value>((keys) => read(context.ports.database, tenantId, keys, context));
    loaders.set(context, loader);
    return loader;
  };
}
