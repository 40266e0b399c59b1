import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { withoutUnusedParts } from '../bundle-action.ts';
import { bundledLicenses } from './bundle-licenses.ts';
import { manifestOf, type ShippedPackage } from './shipped-packages.ts';

type Build = {
  root: string;
  folder: string;
  version: string;
  /** What stands in for modules, by their path: to measure what these cost. */
  standIns?: ReadonlyMap<string, string>;
};

const asAscii: Plugin = {
  name: 'as-ascii',
  generateBundle: (_options, bundle) => {
    for (const part of Object.values(bundle)) if (part.type === 'chunk') part.code = escapeBeyondAscii(part.code);
  },
};

/**
 * The same program with escapes for what is not ASCII: V8 keeps its text as long as it runs, and a single character beyond Latin
 * makes each of them take two bytes.
 */
export const escapeBeyondAscii = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A program as it is published: one bundle, cut where a part is loaded later, with a command that tells an old Node so. */
export async function buildProgram(
  shipped: ShippedPackage,
  { root, folder, version, standIns = new Map() }: Build,
): Promise<void> {
  const { name, source, node, entries, subcommands, frugal, copies = {} } = shipped;
  const dist = join(folder, 'dist');
  await mkdir(join(folder, 'bin'), { recursive: true });
  const input = Object.fromEntries(Object.entries(entries).map(([entry, path]) => [entry, join(root, path)]));
  await using build = await rolldown({
    input,
    platform: 'node',
    plugins: [
      withoutUnusedParts,
      { name: 'stand-ins', load: (path) => standIns.get(relative(root, path)) ?? null },
      asAscii,
    ],
    // Node 22 knows no `await using`.
    transform: { target: `node${node.split('.')[0]}` },
    logLevel: 'warn',
  });
  const { output } = await build.write({ dir: dist, format: 'esm', minify: true, comments: false });
  const bundled = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), bundledLicenses(bundled));
  for (const [target, from] of Object.entries(copies))
    await cp(join(root, from), join(folder, target), { recursive: true });
  await cp(join(root, 'scripts/packages/launcher.mjs'), join(folder, `bin/${name}.mjs`));
  await chmod(join(folder, `bin/${name}.mjs`), 0o755);
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await cp(join(root, source, 'README.md'), join(folder, 'README.md'));
  const manifest = {
    ...manifestOf(shipped, version),
    engines: { node: `>=${node}` },
    bin: { [name]: `bin/${name}.mjs` },
    // It is started, not imported.
    exports: { './package.json': './package.json' },
    files: [
      'bin',
      'dist',
      ...Object.keys(copies).filter((path) => !path.startsWith('dist/')),
      'THIRD-PARTY-LICENSES.txt',
    ],
    ...(subcommands === undefined ? {} : { subcommands }),
    ...(frugal === undefined ? {} : { frugal }),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
