import { type RawBuilder, sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { type Page, type PageRequest, type PageRow, toPage } from './page.ts';

/** A definition as lists have it: under its name. */
export interface NamedRow extends PageRow {
  id: string;
  name: string;
}

/** A select that yields at least `id` and `name` of every row that the caller may see. */
export type NamedSelect<Row extends NamedRow> = RawBuilder<Omit<Row, 'position'>>;

/** A page of the rows in the order of their names. */
export async function listByName<Row extends NamedRow>(
  database: Database,
  tenantId: string,
  select: NamedSelect<Row>,
  page: PageRequest,
): Promise<Page<Row>> {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [name, id] = page.from ?? [];
  const after = page.from === null ? sql`true` : sql`(q.name, q.id) ${comparison} (${name}, ${id}::uuid)`;
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<Row>`
      select q.*, array[q.name, q.id::text] as position from (${select}) q
      where ${after} order by q.name ${direction}, q.id ${direction} limit ${page.size + 1}`.execute(em.getKysely());
    return toPage(page, rows);
  });
}

/** The rows with these ids, in no order. */
export async function readNamed<Row extends NamedRow>(
  database: Database,
  tenantId: string,
  select: NamedSelect<Row>,
  ids: readonly string[],
): Promise<Row[]> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await sql<Row>`
      select q.*, array[q.name, q.id::text] as position from (${select}) q where q.id = any(${ids}::uuid[])`.execute(
      em.getKysely(),
    );
    return rows;
  });
}
