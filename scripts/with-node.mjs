// Runs a script of this repository on the Node that the repository pins, whatever Node started this file.
// Any Node from 18 on can run this file, so it is plain JavaScript without dependencies.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installWhenStale, pinnedNode } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Exits as the child did: with its code, or by the signal that ended it. */
function exitLike(code, signal) {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 200);
}

function runScript(node, args) {
  const path = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH: path } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends Ctrl-C to the child as well; a second copy would count as "stop at once".
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  endWithParent(child);
  child.on('error', (error) => {
    process.stderr.write(`Cannot start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', exitLike);
}

/** The shell between npm and this process passes no signal on: it only dies, and leaves this process to another parent. */
function endWithParent(child) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500);
  watch.unref();
}

const args = process.argv.slice(2);
if (args.length === 0) {
  process.stderr.write('Usage: node scripts/with-node.mjs <script> [arguments]\n');
  process.exit(2);
}
const problem = (await installWhenStale(root)) ?? pinnedNode.problem(root);
if (problem !== undefined) {
  process.stderr.write(`\n${problem}\n`);
  process.exit(1);
}
runScript(pinnedNode.path(root), args);
