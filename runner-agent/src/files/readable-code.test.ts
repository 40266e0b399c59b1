import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readableCode } from './readable-code.ts';

test('packages that lie in a store far away are readable there, with what they depend on', async () => {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'layout-')));
  const store = join(place, 'store');
  const folder = join(place, 'repo/runner/src');
  await mkdir(join(store, 'saxes/node_modules/saxes'), { recursive: true });
  await mkdir(join(store, 'chars'), { recursive: true });
  await writeFile(join(store, 'saxes/node_modules/saxes/package.json'), '{ "dependencies": { "xmlchars": "^2.0.0" } }');
  await writeFile(join(store, 'chars/package.json'), '{}');
  await symlink(join(store, 'chars'), join(store, 'saxes/node_modules/xmlchars'));
  await mkdir(join(place, 'repo/runner/node_modules'), { recursive: true });
  await mkdir(folder, { recursive: true });
  await symlink(join(store, 'saxes/node_modules/saxes'), join(place, 'repo/runner/node_modules/saxes'));

  const places = readableCode(folder);

  await rm(place, { recursive: true });
  expect(places).toEqual(
    expect.arrayContaining([
      join(folder, '*'),
      join(place, 'repo/runner/node_modules/*'),
      join(store, 'saxes/node_modules/saxes/*'),
      join(store, 'chars/*'),
      join(place, 'repo/runner/node_modules/saxes'),
      join(store, 'saxes/node_modules/xmlchars'),
    ]),
  );
  expect(places).not.toContain(join(place, 'repo/*'));
});
