#!/usr/bin/env node
// The command of a published package. Plain JavaScript for any Node: one that is too old gets a sentence instead of a trace.
import { existsSync, readFileSync } from 'node:fs';

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
  await import(entry().href);
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
