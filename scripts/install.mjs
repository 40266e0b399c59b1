// Installs the packages when node_modules is absent or older than the lock file. Plain JavaScript for Node 18 and later.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const pnpm = 'pnpm@12.18.0';
const installByHand = `npx -y ${pnpm} install --frozen-lockfile`;

/** The Node of the `node` package; `problem` says what is wrong with it, or undefined. */
export const pinnedNode = {
  path: (root) => join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
  problem(root) {
    const node = pinnedNode.path(root);
    const cure = `Run: npx -y ${pnpm} rebuild node\nIf that does not help: remove node_modules, check that npm's "ignore-scripts" is off, and try again.`;
    if (!existsSync(node)) return `${node} is missing: the build script of the "node" package did not run.\n${cure}`;
    const answer = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (answer.status === 0 && Number(answer.stdout.slice(1).split('.')[0]) >= 24) return undefined;
    return `${node} does not run as Node 24 (${answer.error?.message ?? answer.stdout + answer.stderr}).\n${cure}`;
  },
};

/** Installs unless the stamp of the last install fits. Returns what to tell the user when it failed, else undefined. */
export async function installWhenStale(root) {
  const stamp = join(root, 'node_modules', '.proofmark-lock');
  const wanted = lockHash(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === wanted) return undefined;
  process.stderr.write(`Installing the packages (once, and again when pnpm-lock.yaml changes): ${installByHand}\n`);
  const code = await install(root);
  if (code !== 0) {
    return [
      `The install failed (exit code ${code}).`,
      'The package registry must be reachable (see `npm config get registry`).',
      `Behind a proxy set HTTPS_PROXY. Then try again, or run this and read its messages: ${installByHand}`,
    ].join('\n');
  }
  writeFileSync(stamp, `${wanted}\n`);
  return undefined;
}

// The workspace file says which build scripts may run, so a change of it needs an install too.
function lockHash(root) {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    hash.update(readFileSync(join(root, file))).update('\0');
  return hash.digest('hex');
}

function install(root) {
  const { command, args } = npx();
  // Only the standard error of this process shows progress: standard output belongs to the script that follows.
  const child = spawn(
    command,
    [...args, '-y', pnpm, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: installEnvironment(root),
      shell: command.endsWith('.cmd'),
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`Cannot start ${command}: ${error.message}. Is npm installed?\n`);
      resolve('none');
    });
    child.on('exit', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
      resolve(code ?? signal);
    });
  });
}

/** npx as a script for this very Node when it can be found, so that PATH need not name it. */
function npx() {
  const bin = dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath && join(dirname(process.env.npm_execpath), 'npx-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npx-cli.js'),
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npx-cli.js'),
    '/usr/share/nodejs/npm/bin/npx-cli.js',
  ];
  const script = candidates.find((path) => path && existsSync(path));
  if (script !== undefined) return { command: process.execPath, args: [script] };
  return { command: process.platform === 'win32' ? 'npx.cmd' : 'npx', args: [] };
}

// npm and pnpm keep caches at home; a user without a usable home (nobody, a container's random uid) gets one in the clone.
function installEnvironment(root) {
  const path = [dirname(process.execPath), process.env.PATH || '/usr/local/bin:/usr/bin:/bin'].join(delimiter);
  const environment = { ...process.env, PATH: path };
  if (hasHome()) return environment;
  const home = join(root, '.proofmark', 'home');
  mkdirSync(home, { recursive: true });
  return { ...environment, HOME: home, npm_config_cache: join(home, '.npm') };
}

function hasHome() {
  try {
    const home = homedir();
    accessSync(home, constants.W_OK);
    return home !== '' && statSync(home).isDirectory();
  } catch {
    // homedir() throws for a uid without a passwd entry, accessSync for a directory that is absent or closed.
    return false;
  }
}
