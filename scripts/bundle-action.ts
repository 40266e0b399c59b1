import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import type { GeneratedFile } from './generated-file.ts';

const folder = 'action/dist';

/** Each bundle stands alone; `index` loads `embedded` only when the job has to execute cases itself. */
const bundles = [
  { entry: 'main', name: 'index' },
  { entry: 'embedded', name: 'embedded' },
  { entry: 'post', name: 'post' },
];

const loadsEmbedded: Plugin = {
  name: 'embedded-is-a-file-of-its-own',
  resolveId: (source) => (source === './embedded.ts' ? { id: './embedded.js', external: true } : null),
};

/** Parts of the HTTP client that nothing here calls, and which are a third of it. */
const unusedParts = /[\\/]undici[\\/]lib[\\/](?:mock|interceptor|cache|web[\\/](?:websocket|eventsource|cookies))[\\/]/;
const withoutUnusedParts: Plugin = {
  name: 'without-unused-parts',
  load: (id) => (unusedParts.test(id) ? 'module.exports = {};' : null),
};

/** The files of `action/dist`, built in memory: the same sources give the same bytes. */
export async function actionBundles(root: string): Promise<GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const { entry, name } of bundles) {
    files.push({ path: `${folder}/${name}.js`, content: await bundle(join(root, 'action/src', `${entry}.ts`)) });
  }
  return files;
}

async function bundle(input: string): Promise<string> {
  await using build = await rolldown({
    input,
    platform: 'node',
    plugins: [loadsEmbedded, withoutUnusedParts],
    logLevel: 'warn',
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false, comments: false });
  const [chunk, ...rest] = output;
  if (rest.length > 0)
    throw new Error(`${input} gives more than one file: ${rest.map(({ fileName }) => fileName).join(', ')}`);
  return chunk.code;
}
