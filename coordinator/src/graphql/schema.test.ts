import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printSchema } from './schema.ts';

test('D-04 schema.graphql is what the code says; `npm run generate` writes it', async () => {
  const committed = await readFile(join(import.meta.dirname, '../../../schema.graphql'), 'utf8');
  expect(committed).toBe(printSchema());
});
