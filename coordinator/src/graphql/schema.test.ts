import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('D-04 schema.graphql is what the code says; `npm run generate` writes it', async () => {
  const module = new URL('schema.ts', import.meta.url).href;
  // In a process of its own: a test runner loads the library of GraphQL a second time, which refuses its own types then.
  const script = `import { printSchema } from ${JSON.stringify(module)}; process.stdout.write(printSchema());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { maxBuffer: 16_000_000 });
  expect(await readFile(new URL('../../../schema.graphql', import.meta.url), 'utf8')).toBe(stdout);
});
