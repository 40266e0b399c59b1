import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';

const mark = '/* prepared */';

/**
 * Begins a statement that each connection reads and plans once. For what runs many times a second and is written so that one
 * plan serves every number of rows: Postgres knows nothing about the parameters of a prepared statement.
 */
export const prepared = sql.raw(mark);

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}

type Ask = (...question: unknown[]) => unknown;

/** A connection that prepares the statements which ask for it. Their texts are part of the program, so there are few. */
export class PreparingClient extends pg.Client {
  constructor(settings: pg.ClientConfig) {
    super(settings);
    const ask: Ask = this.query.bind(this);
    const prepare: Ask = (text, values, ...rest) =>
      typeof text === 'string' && text.startsWith(mark)
        ? ask({ name: nameOf(text), text, values }, ...rest)
        : ask(text, values, ...rest);
    Object.assign(this, { query: prepare });
  }
}
