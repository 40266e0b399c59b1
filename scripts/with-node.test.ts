import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'proofmark-with-node-'));
  await cp(join(import.meta.dirname, 'with-node.mjs'), join(root, 'scripts/with-node.mjs'));
  await cp(join(import.meta.dirname, 'install.mjs'), join(root, 'scripts/install.mjs'));
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) await writeFile(join(root, file), 'one');
  await fakeNpx('process.exit(0)');
});
afterEach(async () => rm(root, { recursive: true }));

/** What stands in for `npx pnpm install`: it notes how it was called and then does this. */
async function fakeNpx(then: string): Promise<void> {
  const note = `require('node:fs').appendFileSync('calls.txt', process.argv.slice(2).join(' ') + '\\n')`;
  await mkdir(join(root, 'npm'), { recursive: true });
  await writeFile(join(root, 'npm/npx-cli.js'), `${note}\n${then}\n`);
}

async function installNode(): Promise<void> {
  await mkdir(join(root, 'node_modules/node/bin'), { recursive: true });
  await symlink(process.execPath, join(root, 'node_modules/node/bin/node'));
}

function start(...args: string[]) {
  const env = { PATH: '/nowhere', HOME: '', npm_execpath: join(root, 'npm/npm-cli.js') };
  return spawn(process.execPath, [join(root, 'scripts/with-node.mjs'), ...args], { cwd: root, env });
}

async function run(...args: string[]) {
  const child = start(...args);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const [code, signal] = await once(child, 'close');
  return { code, signal, output, errors };
}

async function calls(): Promise<string[]> {
  const text = await readFile(join(root, 'calls.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

it('installs once, then is quiet until the lock file changes', async () => {
  await installNode();
  const install = '-y pnpm@12.18.0 install --frozen-lockfile --config.confirmModulesPurge=false';
  expect(await run('-e', '')).toMatchObject({ code: 0, errors: expect.stringContaining('Installing the packages') });
  expect(await run('-e', '')).toMatchObject({ code: 0, errors: '' });
  expect(await calls()).toEqual([install]);
  await writeFile(join(root, 'pnpm-lock.yaml'), 'two');
  await run('-e', '');
  expect(await calls()).toEqual([install, install]);
});

it('puts the pinned Node first on the PATH of the script and passes its arguments and exit code on', async () => {
  await installNode();
  const script = 'console.log(process.env.PATH, process.argv.slice(1).join()); process.exit(7)';
  expect(await run('-e', script, 'a', 'b')).toMatchObject({
    code: 7,
    output: `${join(root, 'node_modules/node/bin')}:/nowhere a,b\n`,
  });
});

it('says what to do when the install fails, and does not believe in it the next time', async () => {
  await installNode();
  await fakeNpx('process.exit(1)');
  expect(await run('-e', '')).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/The install failed \(exit code 1\)[\s\S]*registry[\s\S]*npx -y pnpm@/),
  });
  await run('-e', '');
  expect(await calls()).toHaveLength(2);
});

it('explains a missing pinned Node and one that is not Node 24', async () => {
  await mkdir(join(root, 'node_modules'));
  expect(await run('-e', '')).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/is missing: the build script[\s\S]*rebuild node/),
  });
  await mkdir(join(root, 'node_modules/node/bin'), { recursive: true });
  await writeFile(join(root, 'node_modules/node/bin/node'), '#!/bin/sh\necho v20.1.0\n');
  await chmod(join(root, 'node_modules/node/bin/node'), 0o755);
  expect(await run('-e', '')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('does not run as Node 24 (v20.1.0'),
  });
});

it.for([
  ['SIGTERM', `process.on('SIGTERM', () => process.exit(9))`, { code: 9, signal: null }],
  ['SIGINT', `process.on('SIGINT', () => process.exit(9))`, { code: 9, signal: null }],
  ['SIGTERM', '', { code: null, signal: 'SIGTERM' }],
] as const)('hands %s to the script and ends as it does (%s)', async ([signal, handler, expected]) => {
  await installNode();
  await run('-e', '');
  const child = start('-e', `${handler}; console.log('ready'); setInterval(() => {}, 1000)`);
  await once(child.stdout, 'data');
  child.kill(signal);
  const [code, endedBy] = await once(child, 'exit');
  expect({ code, signal: endedBy }).toEqual(expected);
});

it('ends the script when the process that started it is gone, as npm leaves it behind', async () => {
  await installNode();
  await run('-e', '');
  const script = `process.on('SIGTERM', () => { console.log('told'); process.exit(0); }); console.log('ready'); setInterval(() => {}, 1000)`;
  const starter = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' }); setInterval(() => {}, 1000)`;
  const env = { PATH: '/nowhere', HOME: '', npm_execpath: join(root, 'npm/npm-cli.js') };
  const args = ['-e', starter, join(root, 'scripts/with-node.mjs'), '-e', script];
  const parent = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  const ready = Promise.withResolvers<void>();
  parent.stdout.on('data', (chunk) => {
    output += chunk;
    ready.resolve();
  });
  await ready.promise;
  parent.kill('SIGKILL');
  // Ends only when nobody of the three holds the pipe any more.
  await once(parent, 'close');
  expect(output).toBe('ready\ntold\n');
});
