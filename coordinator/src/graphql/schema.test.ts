import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parse, visit } from 'graphql';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const published = new URL('../../../schema.graphql', import.meta.url);

test('D-04 schema.graphql is what the code says; `npm run generate` writes it', async () => {
  const module = new URL('schema.ts', import.meta.url).href;
  // In a process of its own: a test runner loads the library of GraphQL a second time, which refuses its own types then.
  const script = `import { printSchema } from ${JSON.stringify(module)}; process.stdout.write(printSchema());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { maxBuffer: 16_000_000 });
  expect(await readFile(published, 'utf8')).toBe(stdout);
});

test('C10 fields, arguments and inputs of GraphQL are in camelCase, and none has a name of the seeds’ own tools', async () => {
  const names: string[] = [];
  const note = ({ name }: { name: { value: string } }) => void names.push(name.value);
  visit(parse(await readFile(published, 'utf8')), { FieldDefinition: note, InputValueDefinition: note });
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name))).toEqual([]);
  expect(names.filter((name) => /docstratum|holodeck/i.test(name))).toEqual([]);
});
