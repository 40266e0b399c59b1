#!/usr/bin/env node
// Starts the command on Node 24, which runs TypeScript as it is; on an older Node the one of the workspace is used.
// Plain JavaScript, because an older Node has to understand this file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const main = new URL('../src/main.ts', import.meta.url);
const windows = process.platform === 'win32';
const pinned = fileURLToPath(new URL(`../../node_modules/node/bin/node${windows ? '.exe' : ''}`, import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main.href);
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // A terminal sends Ctrl-C to the child as well; a second one would mean "stop at once".
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
} else {
  process.stderr.write(
    `proofmark needs Node 24 or later, this is ${process.version}. In a clone of its repository \`npm test\` installs one.\n`,
  );
  process.exit(2);
}
