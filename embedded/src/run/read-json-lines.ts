import { existsSync } from 'node:fs';
import { parseJson } from './parse-json.ts';
import { readPlacedLines } from './read-lines.ts';

interface Schema<Value> {
  safeParse: (value: unknown) => { success: true; data: Value } | { success: false };
}

/** The values of a file with one per line; empty without a file. A last line that was cut in its middle is none. */
export async function readJsonLines<Value>(path: string, schema: Schema<Value>): Promise<Value[]> {
  if (!existsSync(path)) return [];
  const values: Value[] = [];
  for await (const { text, isLast, place } of readPlacedLines(path)) {
    const parsed = schema.safeParse(parseJson(text));
    if (parsed.success) values.push(parsed.data);
    else if (!isLast) throw new Error(`${path} cannot be read: at byte ${place.offset} there is something else`);
  }
  return values;
}
