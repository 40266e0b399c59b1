import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import type { GeneratedFile } from './generated-file.ts';

const folder = 'action/dist';

/**
 * Each bundle stands alone; `index` loads `embedded` only when the job has to execute cases itself, and that starts
 * `convert-child` only for cases with files, and `code-host` for agents and checks that are code of the repository.
 */
const bundles = (): { source: string; name: string; plugins?: Plugin[] }[] => [
  { source: 'action/src/main.ts', name: 'index' },
  { source: 'action/src/run/embedded.ts', name: 'embedded' },
  { source: 'action/src/post.ts', name: 'post', plugins: [withoutPatterns] },
  { source: 'runner-agent/src/files/convert-child.ts', name: 'convert-child' },
  { source: 'runner-agent/src/drivers/code-host.ts', name: 'code-host' },
];

const loadsEmbedded: Plugin = {
  name: 'embedded-is-a-file-of-its-own',
  resolveId: (source) => (source === './embedded.ts' ? { id: './embedded.js', external: true } : null),
};

/** Parts of dependencies that nothing here calls; without these rows the bundle of the cases would be a fifth larger. */
const unusedParts: readonly { path: RegExp; instead: string }[] = [
  {
    path: /[\\/]undici[\\/]lib[\\/](?:mock|interceptor|cache|web[\\/](?:websocket|eventsource|cookies))[\\/]/,
    instead: 'module.exports = {};',
  },
  // The model client makes one of each when it is opened; only chat and embeddings are asked for anything.
  { path: /[\\/]openai[\\/]resources[\\/]admin[\\/]admin\.mjs$/, instead: 'export class Admin {}' },
  { path: /[\\/]openai[\\/]resources[\\/]beta[\\/]beta\.mjs$/, instead: 'export class Beta {}' },
  // Streams are read here, tools are called here. One of these also has Node load its own `fetch`, for 15 ms of each start.
  ...[
    'ChatCompletionStream',
    'ChatCompletionRunner',
    'ChatCompletionStreamingRunner',
    'responses[\\\\/]ResponseStream',
  ].map((name) => ({
    path: new RegExp(`[\\\\/]openai[\\\\/]lib[\\\\/]${name}\\.mjs$`),
    instead: `export class ${name.split(']').at(-1)} {}`,
  })),
  // Of the toolkit of GitHub Actions: requests are sent by their routes, and nothing asks what machine this is.
  {
    path: /[\\/]@actions[\\/]http-client[\\/]lib[\\/]index\.js$/,
    instead: 'export class HttpClient { getAgent() {} getAgentDispatcher() {} }',
  },
  {
    path: /[\\/]@octokit[\\/]plugin-rest-endpoint-methods[\\/]/,
    instead: 'export const restEndpointMethods = () => ({});',
  },
  { path: /[\\/]@actions[\\/]core[\\/]lib[\\/]platform\.js$/, instead: 'export {};' },
];

export const withoutUnusedParts: Plugin = {
  name: 'without-unused-parts',
  load: (id) => unusedParts.find(({ path }) => path.test(id))?.instead ?? null,
};

/**
 * The toolkit of GitHub Actions asks with an HTTP client of its own: half a megabyte, which took as long to load as all else
 * before the first request. The `fetch` of Node 24 does the same.
 */
const asksWithFetch: Plugin = {
  name: 'asks-with-fetch',
  resolveId: (source, importer) =>
    source === 'undici' && /[\\/]@actions[\\/]github[\\/]/.test(importer ?? '') ? 'fetch-of-node' : null,
  load: (id) => (id === 'fetch-of-node' ? 'export const { fetch } = globalThis;' : null),
};

/** What ends a run reads no definitions, and so compiles none of their patterns. */
const withoutPatterns: Plugin = {
  name: 'without-patterns',
  load: (id) => (/[\\/]re2js[\\/]/.test(id) ? 'export const RE2JS = undefined;' : null),
};

/** The files of `action/dist`, built in memory: the same sources give the same bytes. */
export async function actionBundles(root: string): Promise<GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const { source, name, plugins = [] } of bundles()) {
    files.push({ path: `${folder}/${name}.js`, content: await bundle(join(root, source), plugins) });
  }
  return files;
}

async function bundle(input: string, plugins: readonly Plugin[]): Promise<string> {
  await using build = await rolldown({
    input,
    platform: 'node',
    plugins: [loadsEmbedded, withoutUnusedParts, asksWithFetch, ...plugins],
    logLevel: 'warn',
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false, comments: false });
  const [chunk, ...rest] = output;
  if (rest.length > 0)
    throw new Error(`${input} gives more than one file: ${rest.map(({ fileName }) => fileName).join(', ')}`);
  return chunk.code;
}
