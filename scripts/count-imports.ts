// Imports every configuration of promptfoo below a folder, and counts how many arrive whole, in part or not at all.
// Run: node scripts/with-node.mjs scripts/count-imports.ts FOLDER [--list whole|part|refused]
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { readCliEnvironment } from '../cli/src/arguments/environment.ts';
import { runCommandLine } from '../cli/src/commands/run-command-line.ts';

const read = readCliEnvironment({});
if (!read.ok) throw new Error(read.problems.join('\n'));
const { environment } = read;
const [folder = '', , wanted] = process.argv.slice(2);
const found: Record<string, string[]> = { whole: [], part: [], refused: [], invalid: [] };
const reasons = new Map<string, number>();

const entries = await readdir(folder, { recursive: true });
for (const path of entries.filter((entry) => basename(entry) === 'promptfooconfig.yaml').sort()) {
  if (/^redteam:/m.test(await readFile(join(folder, path), 'utf8'))) continue;
  const kind = await importOne(path);
  found[kind]?.push(path);
}

const all = Object.values(found).reduce((sum, list) => sum + list.length, 0);
process.stdout.write(
  `${all} configurations: ${Object.entries(found)
    .map(([kind, list]) => `${list.length} ${kind}`)
    .join(', ')}\n`,
);
for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a).slice(0, 60))
  process.stdout.write(`${count} ${reason}\n`);
for (const path of found[wanted ?? ''] ?? []) process.stdout.write(`${path}\n`);

/** Imports a copy of the folder of one configuration, so that nothing is written beside it. */
async function importOne(path: string): Promise<'whole' | 'part' | 'refused' | 'invalid'> {
  const copy = await mkdtemp(join(tmpdir(), 'import-'));
  try {
    await cp(join(folder, dirname(path)), copy, { recursive: true });
    const texts: string[] = [];
    const write = (text: string): void => void texts.push(text);
    const code = await runCommandLine(['import', 'promptfoo', 'promptfooconfig.yaml'], {
      ...{ cwd: copy, version: '0', signal: new AbortController().signal, environment },
      terminal: {
        ...{ write, writeError: write, writeCommands: write },
        ...{ isInteractive: false, hasColor: false, isScreen: false, columns: 80 },
      },
    });
    const said = texts.join('');
    const told = said.split('\n').filter((line) => /^\S+:\d+ .*: /.test(line) && !line.includes(': note: '));
    for (const reason of new Set(
      told.map((line) =>
        line
          .replace(/^\S+ \S+ /, '')
          .replaceAll(/\d+/g, 'N')
          .slice(0, 90),
      ),
    ))
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (code === 2 && said.includes('Wrote ')) {
      process.stdout.write(
        `INVALID ${path}\n${said
          .split('\n')
          .filter((line) => / error /.test(line))
          .slice(0, 4)
          .join('\n')}\n`,
      );
      return 'invalid';
    }
    if (code === 2) return 'refused';
    return code === 0 ? 'whole' : 'part';
  } catch (error) {
    process.stdout.write(`CRASH ${relative(folder, join(folder, path))}: ${String(error)}\n`);
    return 'invalid';
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
