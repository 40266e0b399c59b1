import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { environment } from './environment.ts';

const run = promisify(execFile);
const usualPlaces = ['/usr/local/bin', '/usr/sbin', '/usr/bin', '/opt/homebrew/bin'];
const aptGet = '/usr/bin/apt-get';

const howToInstall = `No nats-server was found, and it cannot be installed from here. Install it with one of these lines, then try again:
  sudo apt-get install -y nats-server                      (Debian, Ubuntu)
  brew install nats-server                                 (macOS)
  go install github.com/nats-io/nats-server/v2@latest
Or set NATS_SERVER_BIN to the binary, or NATS_URL to a server that has JetStream.`;

type Search = {
  /** The binary that the user named; wrong is an error, never a reason to look elsewhere. */
  named?: string | undefined;
  directories?: string[];
  mayInstall?: boolean;
};

/** The path of a nats-server: the named one, one on the PATH, or a package installed now when we are root on Debian. */
export async function findNatsServer({
  named = environment.NATS_SERVER_BIN,
  directories = [...environment.PATH.split(delimiter), ...usualPlaces],
  mayInstall = process.getuid?.() === 0,
}: Search = {}): Promise<string> {
  if (named !== undefined) {
    if (await isExecutable(named)) return named;
    throw new Error(`NATS_SERVER_BIN names ${named}, which is no program that can be run.`);
  }
  const found = await search(directories);
  if (found !== undefined) return found;
  if (!mayInstall || !(await isExecutable(aptGet))) throw new Error(howToInstall);
  await installPackage();
  const installed = await search(usualPlaces);
  if (installed === undefined) throw new Error(howToInstall);
  return installed;
}

async function search(directories: string[]): Promise<string | undefined> {
  for (const directory of directories) {
    const path = join(directory, 'nats-server');
    if (directory !== '' && (await isExecutable(path))) return path;
  }
  return undefined;
}

async function installPackage(): Promise<void> {
  process.stderr.write('No nats-server found: installing it with apt-get install -y nats-server\n');
  // Another apt may be at work; a fresh container has no package lists yet.
  const options = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=120'];
  const install = async () => apt([...options, 'install', 'nats-server']);
  try {
    await install();
  } catch {
    try {
      await apt([...options, 'update']);
      await install();
    } catch (cause) {
      throw new Error(howToInstall, { cause });
    }
  }
}

async function apt(args: string[]): Promise<void> {
  // dpkg wants the sbin directories, which an ordinary PATH may lack.
  const settings = [
    'DEBIAN_FRONTEND=noninteractive',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ];
  await run('/usr/bin/env', [...settings, aptGet, ...args], { maxBuffer: 16 * 1024 * 1024 });
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
