import type { Caller } from '../access/caller.ts';
import { type Connection, readPage } from './connection.ts';
import { callerOf, type GraphqlContext } from './context.ts';
import { listByName, type NamedRow, type NamedSelect, readNamed } from './read/named-rows.ts';

type SelectFor<Row extends NamedRow> = (caller: Caller) => NamedSelect<Row>;

/** The definition with this id, or null when there is none that the caller may see. */
export async function definitionRow<Row extends NamedRow>(
  context: GraphqlContext,
  select: SelectFor<Row>,
  id: string,
): Promise<Row | null> {
  const caller = callerOf(context);
  const rows = await readNamed(context.ports.database, caller.tenantId, select(caller), [id]);
  return rows[0] ?? null;
}

/** A page of definitions by name. */
export async function definitionPage<Row extends NamedRow>(
  context: GraphqlContext,
  list: string,
  page: unknown,
  select: SelectFor<Row>,
): Promise<Connection<Row>> {
  const caller = callerOf(context);
  return await readPage(
    context,
    list,
    page,
    async (request) => await listByName(context.ports.database, caller.tenantId, select(caller), request),
  );
}
