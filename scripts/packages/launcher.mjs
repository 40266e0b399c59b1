#!/usr/bin/env node
// The command of a published package. Plain JavaScript for any Node: one that is too old gets a sentence instead of a trace.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const numbers = (text) => text.match(/\d+/g).map(Number);
const [major, minor = 0] = numbers(process.versions.node);
const [neededMajor, neededMinor = 0] = numbers(manifest.engines.node);

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  process.stderr.write(
    `${manifest.name} needs Node ${numbers(manifest.engines.node).join('.')} or later, and this is ${process.version}.\n`,
  );
  process.exitCode = 2;
} else {
  const file = entry();
  startFrugally();
  suitSmallMachines();
  keepCompiled();
  await import(file.href);
}

/**
 * V8 takes hundreds of megabytes before it looks for garbage, and how it does can be said only where a process starts. So a word
 * that goes through much data starts the program anew, in the same process: for 30 ms a run of 10,000 cases takes half the memory.
 * A run of 10,000 cases is also over before the last compiler of V8 pays: begun later it saves a tenth of the processor time, and
 * a sixth where models are asked. Where that cannot be done, or the flags may be other ones, it runs as it is.
 */
function startFrugally() {
  const flags = ['--max-semi-space-size=16', '--initial-old-space-size=96', '--heap-growing-percent=40'];
  if (major === 24) flags.push('--invocation-count-for-turbofan=100000');
  const isWanted = manifest.frugal?.includes(process.argv[2]) && [22, 24].includes(major);
  if (!isWanted || process.platform === 'win32' || typeof process.execve !== 'function') return;
  // Whoever bounds memory by himself knows better.
  if (/--max-|--heap-/.test(`${process.env.NODE_OPTIONS} ${process.execArgv}`)) return;
  const words = [...process.execArgv, ...flags, ...process.argv.slice(1)];
  process.execve(process.execPath, [process.execPath, ...words], process.env);
}

/**
 * The last compiler of V8 takes a twentieth of what a service needs for its first 10,000 cases, and has paid for itself by none of
 * them: what is called ten times as often as usual is worth it. What runs for days is compiled all the same. And threads that
 * collect young garbage together mostly wait for each other where a service has a core or two: alone it takes a twentieth less.
 * With the gigabyte that the images give, V8 looks for old garbage a quarter more often than at seven tenths of what is in use.
 */
function suitSmallMachines() {
  if (major !== 24) return;
  if (!isTold('--invocation-count')) setFlagsFromString('--invocation-count-for-turbofan=30000');
  setFlagsFromString('--no-parallel-scavenge');
  // Where there is more room it looks more seldom by itself, and where there is less it has to look.
  const isGigabyte = Math.abs(getHeapStatistics().heap_size_limit / 2 ** 30 - 1) < 0.2;
  if (isGigabyte && !isTold('--heap-growing')) setFlagsFromString('--heap-growing-percent=70');
}

/** V8 takes its flags with either line between words. */
function isTold(flag) {
  return process.execArgv.some((told) => told.replaceAll('_', '-').startsWith(flag));
}

/**
 * What V8 has compiled is kept for the next start, which takes a tenth less. It stands beside the code, where only those may
 * write who may change the code; where nobody may, nothing is kept.
 */
function keepCompiled() {
  module.enableCompileCache?.(fileURLToPath(new URL('../.compiled', import.meta.url)));
}

/** `proofmark-coordinator migrate` is `dist/migrate.js`; a command without others is one program with arguments of its own. */
function entry() {
  const [, , word] = process.argv;
  const main = new URL('../dist/main.js', import.meta.url);
  if (manifest.subcommands === undefined || word === undefined) return main;
  const file = new URL(`../dist/${word}.js`, import.meta.url);
  if (!manifest.subcommands.includes(word) || !existsSync(file)) {
    process.stderr.write(
      `${manifest.name}: there is no ${word}. Without a word it serves; the others are ${manifest.subcommands.join(', ')}.\n`,
    );
    process.exit(2);
  }
  process.argv.splice(2, 1);
  return file;
}
