import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { z } from 'zod';
import { published } from '../../contracts/src/identity/published-names.ts';
import { manifestOf } from './shipped-packages.ts';

type Build = { root: string; folder: string; version: string };

const OwnManifest = z.looseObject({
  exports: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});
const Versioned = z.looseObject({ version: z.string() });
const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

/** The door that opens when nothing but the name of the package is imported. */
const mainDoor = './coordinator-client';

/** The client as it is published: modules with their types, under the doors of the workspace package, and a main one. */
export async function buildClient({ root, folder, version }: Build): Promise<void> {
  const { exports: doors } = OwnManifest.parse(await readJson(join(root, 'client/package.json')));
  const { dependencies: outside } = OwnManifest.parse(await readJson(join(root, 'contracts/package.json')));
  const names = Object.entries(doors).map(([door, path]) => ({ door, name: door.slice(2), path }));
  await using build = await rolldown({
    input: Object.fromEntries(names.map(({ name, path }) => [name, join(root, 'client', path)])),
    platform: 'neutral',
    external: Object.keys(outside),
    // Shapes of answers that nothing here asks for stay out.
    treeshake: { moduleSideEffects: false },
    transform: { target: 'es2022' },
    logLevel: 'warn',
  });
  const { output } = await build.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    chunkFileNames: 'parts/[name]-[hash].js',
  });
  const imported = new Set(output.flatMap((part) => (part.type === 'chunk' ? part.imports : [])));
  await writeTypes(root, { folder, files: names.map(({ path }) => join(root, 'client', path)) });
  for (const [file, from] of [
    ['LICENSE', 'LICENSE'],
    ['README.md', 'client/README.md'],
    ['schema.graphql', 'schema.graphql'],
  ] as const)
    await cp(join(root, from), join(folder, file));
  const manifest = {
    ...manifestOf(
      {
        name: published.packages.client,
        source: 'client',
        description: 'Starts runs on a Proofmark coordinator and reads their results, with types.',
        keywords: ['llm', 'agents', 'evals', 'graphql'],
      },
      version,
    ),
    engines: { node: '>=20.0' },
    exports: Object.fromEntries([
      ...names.flatMap(({ door, name, path }) => {
        const types = `./types/client/${path.slice(2).replace(/\.ts$/, '.d.ts')}`;
        const files = { types, default: `./dist/${name}.js` };
        return door === mainDoor ? [['.', files] as const, [door, files] as const] : [[door, files] as const];
      }),
      ['./schema.graphql', './schema.graphql'],
      ['./package.json', './package.json'],
    ]),
    files: ['dist', 'types', 'schema.graphql'],
    dependencies: Object.fromEntries(
      await Promise.all(
        Object.keys(outside)
          .filter((name) => imported.has(name))
          .map(async (name) => {
            const installed = await readJson(join(root, 'contracts/node_modules', name, 'package.json'));
            return [name, `^${Versioned.parse(installed).version}`] as const;
          }),
      ),
    ),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Declarations of everything that the doors import. Packages of ours that are not published are named by their files here. */
async function writeTypes(
  root: string,
  { folder, files }: { folder: string; files: readonly string[] },
): Promise<void> {
  const types = join(folder, 'types');
  const { exports: doors } = OwnManifest.parse(await readJson(join(root, 'contracts/package.json')));
  // Found by path they are sources of this project; found as a package they would be left out.
  const paths = Object.fromEntries(
    Object.entries(doors).map(([door, path]) => [
      `@proofmark/contracts${door.slice(1)}`,
      [join(root, 'contracts', path)],
    ]),
  );
  await mkdir(types, { recursive: true });
  const project = join(root, 'client/.types.tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rewriteRelativeImportExtensions: true,
        rootDir: root,
        paths,
        outDir: types,
      },
      include: [],
      files,
    }),
  );
  try {
    await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  } finally {
    await rm(project);
  }
  for await (const file of glob('**/*.d.ts', { cwd: types })) {
    const path = join(types, file);
    const text = await readFile(path, 'utf8');
    const named = text.replaceAll(/(['"])@proofmark\/contracts\/([\w./-]+)\1/g, (_, quote, door) => {
      const target = doors[`./${door}`];
      if (target === undefined) throw new Error(`${file} imports ${door} of contracts, which has no such door`);
      const to = relative(dirname(path), join(types, 'contracts', target.replace(/\.ts$/, '.js')));
      return `${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`;
    });
    // What a declaration imports of its own, it names as TypeScript; a reader has declarations.
    const rewritten = named.replaceAll(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2');
    if (rewritten !== text) await writeFile(path, rewritten);
  }
}
