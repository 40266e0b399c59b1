import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** A package with the launcher and two programs that print what they were given. */
async function launch(manifest: object, args: readonly string[], main?: string, files: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-launcher-'));
  try {
    for (const part of ['bin', 'dist']) await mkdir(join(folder, part));
    await cp(join(import.meta.dirname, 'launcher.mjs'), join(folder, 'bin/thing.mjs'));
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'thing', engines: { node: '>=18.0' }, type: 'module', ...manifest }),
    );
    for (const name of ['main', 'migrate'])
      await writeFile(join(folder, `dist/${name}.js`), main ?? `console.log('${name}', process.argv.slice(2).join())`);
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await new Promise<{ code: unknown; stdout: string; stderr: string; pid: number | undefined }>((resolve) => {
      const child = execFile(process.execPath, [join(folder, 'bin/thing.mjs'), ...args], (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : error.code, stdout, stderr, pid: child.pid }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('a Node that is too old is told which one is needed, and nothing else is loaded', async () => {
  expect(await launch({ engines: { node: '>=99.13' } }, ['run'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `thing needs Node 99.13 or later, and this is ${process.version}.\n`,
  });
});

test('a command without other words gets everything that was typed', async () => {
  expect(await launch({}, ['migrate', '--json'])).toMatchObject({ code: 0, stdout: 'main migrate,--json\n' });
});

test('a word that is a program of its own starts it, and an unknown one is refused with those that there are', async () => {
  const subcommands = ['migrate'];
  expect(await launch({ subcommands }, [])).toMatchObject({ code: 0, stdout: 'main \n' });
  expect(await launch({ subcommands }, ['migrate', 'x'])).toMatchObject({ code: 0, stdout: 'migrate x\n' });
  expect(await launch({ subcommands }, ['../dist/main'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'thing: there is no ../dist/main. Without a word it serves; the others are migrate.\n',
  });
});

test('a word that goes through much data starts with its memory bounded, in the same process', async () => {
  const tell =
    'console.log(JSON.stringify({ words: process.argv.slice(2), flags: process.execArgv, pid: process.pid }));';
  const told = async (args: readonly string[]) => {
    const { stdout, pid: startedPid, ...end } = await launch({ frugal: ['run'] }, args, tell);
    return { ...JSON.parse(stdout), ...end, startedPid };
  };
  expect(await told(['validate'])).toMatchObject({ words: ['validate'], flags: [], stderr: '', code: 0 });
  const run = await told(['run', '--concurrency', '50']);
  expect(run).toMatchObject({ words: ['run', '--concurrency', '50'], stderr: '', code: 0 });
  expect(run.flags.join(' ')).toContain('--max-semi-space-size=16');
  expect(run.pid).toBe(run.startedPid);
});

test('what is compiled is kept beside the code, and where nothing can be written it runs all the same', async () => {
  const kept = `import { readdirSync } from 'node:fs'; import module from 'node:module';
    module.flushCompileCache(); console.log(readdirSync(new URL('../.compiled', import.meta.url)).length > 0);`;
  expect(await launch({}, [], kept)).toMatchObject({ code: 0, stdout: 'true\n', stderr: '' });
  const broken = `import module from 'node:module'; console.log(module.getCompileCacheDir());`;
  const file = { '.compiled': 'a file where the folder would be' };
  expect(await launch({}, [], broken, file)).toMatchObject({ code: 0, stdout: 'undefined\n', stderr: '' });
});
