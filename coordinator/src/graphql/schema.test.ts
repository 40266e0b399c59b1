import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { buildSchema, findBreakingChanges, isInterfaceType, isObjectType, parse, visit } from 'graphql';
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

test('every type, field, argument and word says in one sentence what it is, and more than its own name', async () => {
  const text = await readFile(published, 'utf8');
  const silent: string[] = [];
  let places = 0;
  visit(parse(text), {
    enter: (node) => {
      if (!/Definition$/.test(node.kind) || !('name' in node) || !('description' in node)) return;
      places += 1;
      const description = node.description?.value ?? '';
      const isSentence = description.split(/\s+/).length >= 4 && description.endsWith('.');
      if (!isSentence) silent.push(`line ${node.loc?.startToken.line}, ${node.name?.value}: ${description}`);
    },
  });
  expect(silent).toEqual([]);
  expect(places).toBeGreaterThan(1000);
});

const read = async (name: string) => buildSchema(await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8'));

/** What the last release had marked as deprecated may go with the next. */
const wasDeprecated = (released: Awaited<ReturnType<typeof read>>): Set<string> =>
  new Set(
    Object.values(released.getTypeMap()).flatMap((type) =>
      isObjectType(type) || isInterfaceType(type)
        ? Object.values(type.getFields()).flatMap(({ name, deprecationReason }) =>
            typeof deprecationReason === 'string' ? [`${type.name}.${name} was removed.`] : [],
          )
        : [],
    ),
  );

test('nothing that the last release answers is missing or asks for more: it is deprecated first, and goes a release later', async () => {
  const released = await read('schema.released.graphql');
  const deprecated = wasDeprecated(released);
  const breaking = findBreakingChanges(released, await read('schema.graphql'))
    .map(({ description }) => description)
    .filter((description) => !deprecated.has(description));
  expect(breaking).toEqual([]);
});
