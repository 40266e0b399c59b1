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
  return sql`unnest(${sql.join(arraysOf(rows, columns))}) as ${sql.raw(alias)}(${names(columns)})`;
}

/**
 * The same for a prepared statement: Postgres expects ten rows, whatever comes. Where it counted them, a plan for fewer would look
 * better than the one that it keeps, and it would plan anew each time.
 */
export function unnestUncounted<Row>(rows: readonly Row[], columns: Columns<Row>, alias: string): RawBuilder<unknown> {
  const arrays = arraysOf(rows, columns).map((array) => sql`(select ${array})`);
  return sql`unnest(${sql.join(arrays)}) as ${sql.raw(alias)}(${names(columns)})`;
}

const arraysOf = <Row>(rows: readonly Row[], columns: Columns<Row>): RawBuilder<unknown>[] => {
  const all = Object.values(columns);
  return all.map((column) => arrayOf({ rows, column, all }));
};

/** Rows beside each other often share an object, such as the variables of their suite run: it is written once. */
function textsOf<Row>(rows: readonly Row[], { type, of }: Column<Row>): (string | null)[] {
  let last: unknown = null;
  let text: string | null = null;
  return rows.map((row) => {
    const value = of(row);
    if (value !== last) text = asText(type, value);
    last = value;
    return text;
  });
}

/** The names of the columns, for an insert's list. */
export function names(columns: Columns<never>): RawBuilder<unknown> {
  return sql.raw(
    Object.keys(columns)
      .map((name) => `"${name}"`)
      .join(', '),
  );
}

/** Characters for machines alone: JSON writes them as escapes, and no number, time or id has them. */
const between = '\u001e';
const nothing = '\u001d';

interface ColumnOfRows<Row> {
  rows: readonly Row[];
  column: Column<Row>;
  /** With the others beside it. */
  all: readonly Column<Row>[];
}

/**
 * An array as its texts with a character between them. As an array of Postgres every quote of every JSON in it would be
 * escaped here and read again there, which took a twentieth of what a coordinator does. A text may hold such a character, and a single empty one
 * is no text at all: those are sent as that array.
 */
function arrayOf<Row>(asked: ColumnOfRows<Row>): RawBuilder<unknown> {
  const { rows, column } = asked;
  const to = sql.raw(`${column.type}[]`);
  if (column.type === 'text' && !areApart(rows, column)) return sql`${textsOf(rows, column)}::${to}`;
  const joined = whenSent(() => joinedTexts(asked));
  return sql`string_to_array(${joined}, ${sql.raw(`E'\\x1e', E'\\x1d'`)})::${to}`;
}

function areApart<Row>(rows: readonly Row[], { of }: Column<Row>): boolean {
  if (rows.length === 1) return rows.every((row) => of(row) !== '');
  return !rows.some((row) => {
    const text = of(row);
    return typeof text === 'string' && (text.includes(between) || text.includes(nothing));
  });
}

/** A column without any value is no array at all: Postgres fills up with nothing what is shorter than the others. One of them has to say how many rows there are. */
function joinedTexts<Row>({ rows, column, all }: ColumnOfRows<Row>): string | null {
  const hasValues = ({ of }: Column<Row>) => rows.some((row) => (of(row) ?? null) !== null);
  if (!hasValues(column) && all.some(hasValues)) return null;
  return textsOf(rows, column)
    .map((text) => text ?? nothing)
    .join(between);
}

/**
 * A parameter that is made when its statement leaves, and that nobody holds after: what waits with a statement for its answer is
 * old to V8 by then, and dear to collect.
 */
export const whenSent = (make: () => string | null): { toPostgres: () => string | null } => ({ toPostgres: make });

function asText(type: Column<unknown>['type'], value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (type === 'json' || type === 'jsonb') return storableJson(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return type === 'text' ? storableText(value) : value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return `${value}`;
  throw new TypeError(`${typeof value} is no ${type}`);
}
