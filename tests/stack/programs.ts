import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { buildProgram } from '../../scripts/packages/build-program.ts';
import { shippedPrograms } from '../../scripts/packages/shipped-packages.ts';

/** The files that start a coordinator, a runner and the command. */
export interface Programs {
  coordinator: string;
  runner: string;
  command: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const builds = join(root, '.proofmark/programs');
const keptForMs = 24 * 60 * 60 * 1_000;
const madeFrom = [
  '{contracts,domain,process,client,embedded,cli,coordinator,runner-agent}/{src,migrations}/**/*.ts',
  '{dashboard/{dist,static},schemas}/*',
  'cli/templates/{*/*,shared,shared/.github/workflows}/*.{yaml,yml,ts}',
  'scripts/{packages/*,bundle-action.ts}',
  '{package.json,pnpm-lock.yaml}',
];

/**
 * The programs as they are shipped. To start one takes half of what a start from some hundred sources takes, and tests start
 * hundreds. Built once for each state of the sources.
 */
export async function buildPrograms(): Promise<Programs> {
  const folder = join(builds, await hashOfSources());
  if (!existsSync(folder)) {
    const stage = `${folder}.${process.pid}`;
    const { version } = z
      .looseObject({ version: z.string() })
      .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
    for (const shipped of shippedPrograms) {
      const own = join(stage, shipped.source);
      await mkdir(own, { recursive: true });
      await buildProgram(shipped, { root, folder: own, version });
    }
    // Somebody else may have been quicker.
    await rename(stage, folder).catch(() => rm(stage, { recursive: true, force: true }));
    await removeOld();
  }
  return {
    coordinator: join(folder, 'coordinator/dist/main.js'),
    runner: join(folder, 'runner-agent/dist/main.js'),
    command: join(folder, 'cli/dist/main.js'),
  };
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const paths = await Array.fromAsync(glob(madeFrom, { cwd: root, exclude: ['**/*.test.ts', '**/*.fixture.ts'] }));
  for (const path of paths.toSorted()) hash.update(`${path}\n`).update(await readFile(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

/** A build that nobody has asked for since yesterday, and what a process has left that did not come to its end. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(builds)) {
    const path = join(builds, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > keptForMs) await rm(path, { recursive: true, force: true });
  }
}
