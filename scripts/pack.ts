// `npm run pack -- FOLDER [PACKAGE…]`: the tarballs that a release would publish, all of them or those that are named.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { published } from '../contracts/src/identity/published-names.ts';
import { buildClient } from './packages/build-client.ts';
import { buildProgram } from './packages/build-program.ts';
import { shippedPrograms } from './packages/shipped-packages.ts';

const root = join(import.meta.dirname, '..');
const [target, ...chosen] = process.argv.slice(2);
const builds = new Map([
  ...shippedPrograms.map(
    (shipped) => [shipped.name, (to: Omit<Build, 'root'>) => buildProgram(shipped, { root, ...to })] as const,
  ),
  [published.packages.client, (to: Omit<Build, 'root'>) => buildClient({ root, ...to })] as const,
]);
type Build = { root: string; folder: string; version: string };

const unknown = chosen.filter((name) => !builds.has(name));
if (target === undefined || unknown.length > 0) {
  const wrong = unknown.map((name) => `There is no package ${name}.\n`).join('');
  process.stderr.write(`${wrong}Usage: npm run pack -- FOLDER [${[...builds.keys()].join('|')}…]\n`);
  process.exitCode = 2;
} else {
  await pack(resolve(target), chosen.length === 0 ? [...builds.keys()] : chosen);
}

async function pack(folder: string, names: readonly string[]): Promise<void> {
  const { version } = z
    .looseObject({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  await mkdir(folder, { recursive: true });
  const stage = await mkdtemp(join(tmpdir(), 'proofmark-pack-'));
  try {
    for (const name of names) {
      const staged = join(stage, name.replace('/', '-'));
      await mkdir(staged);
      await builds.get(name)?.({ folder: staged, version });
      const { stdout } = await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
        cwd: staged,
      });
      process.stdout.write(`${join(folder, stdout.trim().split('\n').at(-1) ?? '')}\n`);
    }
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
