import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';

/** What the converters import; in a built runner they are part of its own files. */
const packages = ['saxes', 'unpdf'];
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/**
 * The places that a program in `folder` has to read to load itself: its folder, wherever the module system looks from
 * there, and the packages of the converters where they really lie, which may be a store far away.
 */
export function readableCode(folder: string): string[] {
  const places = [join(folder, '*')];
  for (const above of withParents(folder)) places.push(join(above, 'node_modules', '*'), join(above, 'package.json'));
  return [...new Set([...places, ...packages.flatMap((name) => packagePlaces(name, folder))])];
}

function packagePlaces(name: string, from: string): string[] {
  const link = withParents(from)
    .map((above) => join(above, 'node_modules', name))
    .find(existsSync);
  if (link === undefined) return [];
  const { real, links } = followLinks(link);
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(real, 'package.json'), 'utf8')));
  return [
    join(real, '*'),
    ...links,
    ...Object.keys(dependencies).flatMap((dependency) => packagePlaces(dependency, real)),
  ];
}

/** Where a path really leads, and every link on the way: reading a link needs a permission of its own. */
function followLinks(path: string): { real: string; links: string[] } {
  const link = withParents(path)
    .toReversed()
    .find((part) => lstatSync(part).isSymbolicLink());
  if (link === undefined) return { real: path, links: [] };
  const next = join(resolve(dirname(link), readlinkSync(link)), relative(link, path));
  const { real, links } = followLinks(next);
  return { real, links: [link, ...links] };
}

/** The folder and all above it, the nearest first. */
function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
