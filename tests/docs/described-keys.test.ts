import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSchema, type Schema } from '../../scripts/generators/key-table.ts';
import { repositoryRoot } from '../stack/processes.ts';

/** Required keys that no table and no editor explains. What is not described itself is not meant for people, nor is what it holds. */
function undescribed(schema: Schema, base = ''): string[] {
  const keys = Object.entries(schema.properties ?? {}).flatMap(([name, key]) => {
    const path = `${base}.${name}`;
    if (key.description !== undefined) return undescribed(key, path);
    return schema.required?.includes(name) ? [path] : [];
  });
  const inside = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), schema.items, schema.additionalProperties];
  return [...keys, ...inside.flatMap((part) => (part === undefined ? [] : undescribed(part, base)))];
}

const folder = join(repositoryRoot, 'schemas');

test.each(readdirSync(folder))('every key that %s requires is described, so that the pages list it', (file) => {
  const schema = readSchema(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  expect(undescribed(schema)).toEqual([]);
});
