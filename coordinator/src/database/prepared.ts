import { createHash } from 'node:crypto';
import { sql } from 'kysely';

const mark = '/* prepared */';

/**
 * Begins a statement that each connection reads and plans once. For what runs many times a second and is written so that one
 * plan serves every number of rows: Postgres knows nothing about the parameters of a prepared statement.
 */
export const prepared = sql.raw(mark);

const names = new Map<string, string>();

/** Under which name a connection keeps the plan of a statement; undefined for one that is planned each time. */
export function preparedName(text: string): string | undefined {
  if (!text.startsWith(mark)) return undefined;
  const known = names.get(text);
  if (known !== undefined) return known;
  // Texts are part of the program, so there are few.
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}
