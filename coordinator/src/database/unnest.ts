import { type RawBuilder, sql } from 'kysely';
import { storableJson, storableText } from './storable.ts';

/** One column of a batch: the type of Postgres, and where a row's value comes from. */
interface Column<Row> {
  type: 'uuid' | 'text' | 'int4' | 'int8' | 'float8' | 'bool' | 'json' | 'jsonb' | 'timestamptz';
  of: (row: Row) => unknown;
}

export type Columns<Row> = Record<string, Column<Row>>;

/**
 * Many rows as one table expression with one parameter per column: `unnest($1::uuid[], …) as alias(…)`. Values never
 * become part of the SQL text, and what Postgres cannot hold in a text is replaced on the way.
 */
export function unnest<Row>(rows: readonly Row[], columns: Columns<Row>, alias: string): RawBuilder<unknown> {
  const arrays = Object.values(columns).map(
    ({ type, of }) => sql`${rows.map((row) => storable(type, of(row)))}::${sql.raw(type)}[]`,
  );
  return sql`unnest(${sql.join(arrays)}) as ${sql.raw(alias)}(${names(columns)})`;
}

/** The names of the columns, for an insert's list. */
export function names(columns: Columns<never>): RawBuilder<unknown> {
  return sql.raw(
    Object.keys(columns)
      .map((name) => `"${name}"`)
      .join(', '),
  );
}

function storable(type: Column<unknown>['type'], value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'json' || type === 'jsonb') return storableJson(value);
  return type === 'text' && typeof value === 'string' ? storableText(value) : value;
}
