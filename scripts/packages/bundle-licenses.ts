import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const Manifest = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.string().optional(),
});

/** The licences of the packages whose modules are part of a bundle, as one text. Throws for a package that names none. */
export function bundledLicenses(moduleIds: readonly string[]): string {
  const folders = new Set(moduleIds.filter((id) => id.includes('node_modules')).map((id) => packageFolder(id)));
  const parts = [...folders].map((folder) => {
    const { name, version, license } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (license === undefined && file === undefined) throw new Error(`${name} (${folder}) names no licence`);
    const text = file === undefined ? 'It has no text of its own.' : readFileSync(join(folder, file), 'utf8').trim();
    return { title: `${name} ${version} (${license ?? 'see below'})`, text };
  });
  const sorted = parts.toSorted((a, b) => (a.title < b.title ? -1 : 1));
  const rule = '-'.repeat(72);
  return `Parts of these packages are in the files of dist.\n\n${sorted.map(({ title, text }) => `${rule}\n${title}\n\n${text}\n`).join('\n')}`;
}

/** Where the package of a module lies; a `package.json` inside of one that only says what kind of modules follow is none. */
function packageFolder(id: string): string {
  const path = id.replace(/^\0/, '').replace(/\?.*$/, '');
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest)) continue;
    if (Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version !== undefined) return realpathSync(folder);
  }
  throw new Error(`${id} belongs to no package`);
}
