import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  Source,
  stripIgnoredCharacters,
  validate,
  visit,
} from 'graphql';
import { printSchema } from '../../coordinator/src/graphql/schema.ts';
import type { GeneratedFile } from '../generated-file.ts';

/** Where operations stand: every `*.graphql` file in these folders. Their types go into `documents.ts` beside them. */
const folders = ['client/src/operations', 'dashboard/src/operations'];
const knownPath = 'coordinator/src/graphql/known-documents.ts';

interface Operation {
  kind: 'Query' | 'Mutation' | 'Subscription';
  name: string;
  /** With the fragments that it uses, and no character too many. */
  text: string;
  sha256: string;
}

/** The types of all operations, and the list by which a coordinator knows their texts. */
export async function typedDocuments(root: string): Promise<GeneratedFile[]> {
  const schema = buildSchema(printSchema());
  const files: GeneratedFile[] = [];
  const known: Operation[] = [];
  for (const folder of folders) {
    const documents = await readDocuments(root, folder);
    if (documents.length === 0) continue;
    const operations = operationsOf(documents.map(({ document }) => document));
    refuseWrong(schema, operations);
    known.push(...operations);
    const path = `${folder}/documents.ts`;
    const asked = await askedFor(join(root, folder, '..'));
    files.push({ path, content: await printTypes(schema, documents, { path, operations, asked }) });
  }
  return [...files, { path: knownPath, content: printKnown(known) }];
}

/** The names that files of a package import from its documents. */
async function askedFor(source: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const path of glob(join(source, '**/*.{ts,tsx}'))) {
    const text = await readFile(path, 'utf8');
    for (const [, list = ''] of text.matchAll(/import (?:type )?\{([^}]*)\} from '[./\w-]*\/documents\.ts'/g))
      for (const name of list.split(',')) names.add(name.replace(/^\s*type /, '').trim());
  }
  return names;
}

type Located = { location: string; document: DocumentNode };

async function readDocuments(root: string, folder: string): Promise<Located[]> {
  const paths = (await Array.fromAsync(glob(join(root, folder, '*.graphql')))).toSorted();
  return await Promise.all(
    paths.map(async (path) => {
      const location = relative(root, path);
      return { location, document: parse(new Source(await readFile(path, 'utf8'), location)) };
    }),
  );
}

function operationsOf(documents: readonly DocumentNode[]): Operation[] {
  const definitions = documents.flatMap((document) => document.definitions);
  const fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  return definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const name = operation.name?.value;
      if (name === undefined) throw new Error(`an operation has no name: ${print(operation)}`);
      const text = stripIgnoredCharacters(
        print({ kind: Kind.DOCUMENT, definitions: [operation, ...usedBy(operation, fragments)] }),
      );
      const kinds = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;
      return { kind: kinds[operation.operation], name, text, sha256: createHash('sha256').update(text).digest('hex') };
    });
}

/** The fragments of an operation and theirs, each once, in the order of their names. */
function usedBy(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FragmentDefinitionNode[] {
  const found = new Map<string, FragmentDefinitionNode>();
  const look = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name: { value: name } }) {
        const fragment = fragments.get(name);
        if (fragment === undefined || found.has(name)) return;
        found.set(name, fragment);
        look(fragment);
      },
    });
  };
  look(operation);
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, fragment]) => fragment);
}

/** Every mistake of every operation at once. */
function refuseWrong(schema: GraphQLSchema, operations: readonly Operation[]): void {
  const mistakes = operations.flatMap(({ name, text }) =>
    validate(schema, parse(text)).map(({ message }) => `${name}: ${message}`),
  );
  const twice = [...Map.groupBy(operations, ({ name }) => name)].filter(([, all]) => all.length > 1);
  mistakes.push(...twice.map(([name]) => `${name}: two operations have this name`));
  if (mistakes.length > 0) throw new Error(`operations are wrong:\n${mistakes.join('\n')}`);
}

async function printTypes(
  schema: GraphQLSchema,
  documents: Located[],
  { path, operations, asked }: { path: string; operations: readonly Operation[]; asked: ReadonlySet<string> },
): Promise<string> {
  const types = await codegen({
    filename: path,
    schema: parse(printSchema()),
    schemaAst: schema,
    documents,
    plugins: [{ operationTypes: {} }],
    pluginMap: { operationTypes },
    config: {
      enumType: 'string-literal',
      skipTypename: true,
      strictScalars: true,
      scalars: { UUID: 'string', DateTime: 'string', JSON: 'unknown' },
    },
  });
  const constants = operations.map(
    ({ kind, name, text, sha256 }) =>
      `export const ${name}Document: TypedDocument<${name}${kind}, ${name}${kind}Variables> = {\n  name: '${name}',\n  sha256: '${sha256}',\n  text: ${JSON.stringify(text)},\n};\n`,
  );
  // Enumerations and inputs have their home in the schema, and the page is no door: only what a neighbour asks for is told again.
  const isDoor = path.startsWith('client/');
  const isUsed = (name: string) =>
    (`${types}${constants.join('')}`.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1;
  const named = types
    .replace(/\/\*\* [^\n]*\nexport type Incremental<[^\n]*\n/, '')
    .replaceAll(/^export type (\w+)(?= =)/gm, (whole, name: string) => {
      const isOwn = isDoor && !isInputType(schema.getType(name));
      return isOwn || asked.has(name) || !isUsed(name) ? whole : `type ${name}`;
    });
  return `// Printed from the *.graphql files beside this one and from schema.graphql: npm run generate.\n\n${documentType}\n${named.trimEnd()}\n\n${constants.join('\n')}`;
}

const documentType = `/** An operation: its text, the hash by which a coordinator of the same version knows it, and the types of what it gives and takes. */
export interface TypedDocument<Answer, Variables> {
  name: string;
  /** SHA-256 of the text. Null: no coordinator knows it. */
  sha256: string | null;
  text: string;
  /** Only in the type. */
  readonly types?: { answer: Answer; variables: Variables };
}
`;

function printKnown(operations: readonly Operation[]): string {
  const entries = operations
    .map(({ sha256, text }) => `  '${sha256}':\n    ${JSON.stringify(text)},\n`)
    .toSorted()
    .join('');
  return `// Printed from the *.graphql files of the client and the page: npm run generate.\n\n/** Operations that are asked for by the SHA-256 of their text. */\nexport const knownDocuments: Readonly<Record<string, string>> = {\n${entries}};\n`;
}
