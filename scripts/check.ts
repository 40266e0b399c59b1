// `pnpm check`: everything that can be said about the code without starting the product, cheapest first.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const node = process.execPath;

const steps: readonly [name: string, command: string, ...args: string[]][] = [
  ['format, imports, structure', bin('biome'), 'ci', '--error-on-warnings', '.'],
  ['promises, switches', bin('oxlint'), '--type-aware', '--deny-warnings', '.'],
  ['types', bin('tsc'), '--noEmit'],
  ['types of the page', bin('tsc'), '--noEmit', '-p', 'dashboard'],
  ['dead code', bin('knip'), '--no-progress'],
  ['copied code', bin('jscpd'), '--config', '.jscpd.json', '.'],
  ['smells', node, 'scripts/smells.ts'],
  ['workflows', node, 'scripts/lint-workflows.ts'],
  ['manifests', node, 'scripts/lint-manifests.ts'],
  ['container files', node, 'scripts/lint-containers.ts'],
  ['generated files', node, 'scripts/generate.ts', '--check'],
  ['unit tests', node, 'node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--reporter=dot'],
];

for (const [name, command, ...args] of steps) {
  const start = performance.now();
  const { code, output } = await run(command, args);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`);
  // What could not be looked at here must not pass for sound.
  for (const [skipped] of output.matchAll(/^SKIPPED.*$/gm)) process.stdout.write(`     ${skipped}\n`);
  if (code === 0) continue;
  process.stdout.write(`${output}\n`);
  process.exit(1);
}

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
  });
}
