import { type RawBuilder, sql } from 'kysely';

/** A column of a read: the type of what comes back, and its SQL where that is more than the column of its name. */
interface Column<Value> {
  sql: RawBuilder<unknown> | null;
  /** For the type alone. */
  yields?: Value;
}

/** Without SQL: the column of the table that is called as the property, in snake case. */
export function column<Value>(expression: RawBuilder<unknown> | null = null): Column<Value> {
  return { sql: expression };
}

/** The row that a table of columns reads. */
export type RowOf<Columns> = { [Key in keyof Columns]: Columns[Key] extends Column<infer Value> ? Value : never };

/** What stands between `select` and `from`, with the table called `alias`. */
export function selectList(alias: string, columns: Record<string, Column<unknown>>): RawBuilder<unknown> {
  return sql.join(
    Object.entries(columns).map(([property, { sql: expression }]) => {
      const name = property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return sql`${expression ?? sql.ref(`${alias}.${name}`)} as ${sql.ref(property)}`;
    }),
  );
}

/** The same row out of other tables, for the second half of a `union all`: every column by its name, in the same order. */
export function selectLike<Key extends string>(
  columns: Record<Key, Column<unknown>>,
  others: Record<Key, RawBuilder<unknown>>,
): RawBuilder<unknown> {
  const expressions: Record<string, RawBuilder<unknown>> = others;
  return sql.join(
    Object.keys(columns).flatMap((property) => {
      const expression = expressions[property];
      return expression === undefined ? [] : [sql`${expression} as ${sql.ref(property)}`];
    }),
  );
}
