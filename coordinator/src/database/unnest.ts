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
  return sql`unnest(${sql.join(arraysOf(rows, columns, heldArray))}) as ${sql.raw(alias)}(${names(columns)})`;
}

/** The same for many rows in a single statement: what they are as text is held by nobody while Postgres is at work. */
export function unnestPassing<Row>(rows: readonly Row[], columns: Columns<Row>, alias: string): RawBuilder<unknown> {
  return sql`unnest(${sql.join(arraysOf(rows, columns, passingArray()))}) as ${sql.raw(alias)}(${names(columns)})`;
}

/**
 * The same for a prepared statement: Postgres expects ten rows, whatever comes. Where it counted them, a plan for fewer would look
 * better than the one that it keeps, and it would plan anew each time.
 */
export function unnestUncounted<Row>(rows: readonly Row[], columns: Columns<Row>, alias: string): RawBuilder<unknown> {
  return uncounted(arraysOf(rows, columns, passingArray()), columns, alias);
}

/**
 * The same for rows that are needed for nothing else: with the statement they leave their list, and are garbage while Postgres is
 * at work. Whoever asks again, does so with new rows.
 */
export function unnestTaking<Row>(rows: Row[], columns: Columns<Row>, alias: string): RawBuilder<unknown> {
  let open = Object.keys(columns).length;
  const taken = () => {
    if (open === 0) throw new Error('These rows have left with their statement.');
    open -= 1;
    if (open === 0) rows.length = 0;
  };
  return uncounted(arraysOf(rows, columns, passingArray(taken)), columns, alias);
}

function uncounted(
  arrays: readonly RawBuilder<unknown>[],
  columns: Columns<never>,
  alias: string,
): RawBuilder<unknown> {
  const each = arrays.map((array) => sql`(select ${array})`);
  return sql`unnest(${sql.join(each)}) as ${sql.raw(alias)}(${names(columns)})`;
}

function arraysOf<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  arrayOf: (column: ColumnOfRows<Row>) => RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const all = Object.values(columns);
  const hasValues = ({ of }: Column<Row>) => rows.some((row) => (of(row) ?? null) !== null);
  const isSaid = () => all.some(hasValues);
  return all.map((column) => arrayOf({ rows, column, isSaid }));
}

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
  /** Whether any column has a value, and says with it how many rows there are. */
  isSaid: () => boolean;
}

function heldArray<Row>({ rows, column, isSaid }: ColumnOfRows<Row>): RawBuilder<unknown> {
  const texts = textsOf(rows, column);
  return isWhole(column, texts) ? wholeArray(texts) : cutArray(column, joined(texts, isSaid));
}

/** Its texts are made anew when the statement leaves; `made` is told once they are. */
const passingArray =
  (made: () => void = () => undefined) =>
  <Row>({ rows, column, isSaid }: ColumnOfRows<Row>): RawBuilder<unknown> => {
    const texts = () => textsOf(rows, column);
    if (column.type === 'text' && isWhole(column, texts())) {
      const whole = wholeArray(texts());
      made();
      return whole;
    }
    const leaving = () => {
      const text = joined(texts(), isSaid);
      made();
      return text;
    };
    return cutArray(column, whenSent(leaving));
  };

/**
 * An array as its texts with a character between them. As an array of Postgres every quote of every JSON in it would be
 * escaped here and read again there, which took a twentieth of what a coordinator does.
 */
const cutArray = <Row>({ type }: Column<Row>, text: ReturnType<typeof whenSent> | string | null) =>
  sql`string_to_array(${text}, ${sql.raw(`E'\\x1e', E'\\x1d'`)})::${sql.raw(`${type}[]`)}`;

/** A text may hold such a character, and a single empty one is no text at all: those are sent as an array. */
const isWhole = <Row>({ type }: Column<Row>, texts: readonly (string | null)[]): boolean =>
  type === 'text' &&
  ((texts.length === 1 && texts[0] === '') ||
    texts.some((text) => text !== null && (text.includes(between) || text.includes(nothing))));

const wholeArray = (texts: readonly (string | null)[]) => sql`${texts}::text[]`;

/** A column without any value is no array at all: Postgres fills up with nothing what is shorter than the others. */
const joined = (texts: readonly (string | null)[], isSaid: () => boolean): string | null =>
  texts.every((text) => text === null) && isSaid() ? null : texts.map((text) => text ?? nothing).join(between);

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
