// `npm test`: every test, those with a real Postgres, a real NATS and a real browser included; the last line counts them.
import { spawn } from 'node:child_process';
import { access, chmod, constants, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installChromium } from '../tests/stack/chromium.ts';
import { makeScratchDirectory } from '../tests/stack/scratch-directory.ts';

const root = join(import.meta.dirname, '..');

interface Counts {
  passed: number;
  failed: number;
}

/** These need a Chromium. */
const browserTests = ['tests/flows/page-in-browser.test.ts'];

/** Where Linux keeps files in memory. */
const memory = '/dev/shm';
/** Tests have half a gigabyte of files at once; the rest is for whatever else wants memory. */
const enoughBytes = 4 * 1024 ** 3;

const directory = (await makeFolderInMemory()) ?? (await makeScratchDirectory('test'));
try {
  // Where root tests, another user has the databases.
  await chmod(directory, 0o755);
  const report = join(directory, 'report.json');
  const leftOut = installChromium() ? [] : browserTests;
  const code = await runVitest(report, [...process.argv.slice(2), ...leftOut.map((path) => `--exclude=${path}`)]);
  const counts = withOutcome(await readCounts(report), code);
  process.stdout.write(`${await missingText(leftOut)}\n${counts.passed} passed, ${counts.failed} failed\n`);
  // A run that tested nothing, or whose files did not even load, is a failure whatever vitest thinks of it.
  process.exitCode = code === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1;
} finally {
  // A process that ends a moment later may still write there. The next start sweeps what is left, and no test has failed by it.
  await rm(directory, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

/**
 * Where tests write: they make and remove some hundred thousand small files, those of whole databases among them, and some disks
 * take thirty times as long for that. Undefined where memory is short, where no program may start there, and where somebody has
 * said where temporary files go.
 */
async function makeFolderInMemory(): Promise<string | undefined> {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return undefined;
  // What a test command has left behind that was killed goes first.
  const folder = await makeScratchDirectory('test', memory).catch(() => undefined);
  if (folder === undefined) return undefined;
  if ((await hasRoom()) && (await mayStartPrograms(folder))) return folder;
  await rm(folder, { recursive: true });
  return undefined;
}

async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs(memory);
  return Math.min(bavail * bsize, process.availableMemory()) >= enoughBytes;
}

async function mayStartPrograms(folder: string): Promise<boolean> {
  const program = join(folder, 'program');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
  return access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** What was not tested for want of a browser, with its number: nothing is left out silently. */
async function missingText(paths: readonly string[]): Promise<string> {
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
  const count = texts.reduce((sum, text) => sum + (text.match(/^ *test(\.each)?\(/gm)?.length ?? 0), 0);
  if (count === 0) return '';
  return `\nNOT TESTED: ${count} tests of the page (${paths.join(', ')}), because no Chromium is here and none could be installed.\nInstall one (apt-get install chromium) or set CHROMIUM, and run npm test again.\n`;
}

function runVitest(report: string, selection: string[]): Promise<number> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...selection], {
    ...{ cwd: root, stdio: 'inherit' },
    // Whatever a test leaves behind goes with the folder.
    env: { ...process.env, TMPDIR: directory },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1));
    child.on('error', (error) => {
      process.stderr.write(`Cannot start vitest: ${error.message}\n`);
      resolve(1);
    });
  });
}

/** A server that could not start, or a file that could not load, is no test; it must not look like nothing. */
function withOutcome({ passed, failed }: Counts, code: number): Counts {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

async function readCounts(report: string): Promise<Counts> {
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(text);
  // A skipped test is not a passed one: nothing may be skipped silently.
  const failed = Math.max(Number(numFailedTests), numFailedTestSuites > 0 ? 1 : 0) + Number(numPendingTests);
  return { passed: Number(numPassedTests), failed };
}
