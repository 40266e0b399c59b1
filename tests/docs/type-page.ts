import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inheritedEnvironment } from '../stack/environment.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';
import type { Programs } from '../stack/programs.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { filesOf } from './load-page.ts';
import { fencedBlocks, type Page } from './pages.ts';
import { callFault, standIns } from './stand-ins.ts';

/** What a reader has, and what they do beside typing what stands on a page. */
export interface World {
  /** Typed before the first block. */
  before?: string;
  /** Parts of the repository that lie in the reader's folder, by their place in it. */
  copies?: Record<string, string>;
  /** Files beside those that the page shows. */
  files?: Record<string, string>;
  /** The reader types before writing any file. */
  startsEmpty?: boolean;
  /** What a reader writes in the place of what stands on the page. */
  instead?: Record<string, string>;
  env?: Record<string, string>;
  /** The answers come from a scripted model, so that the gate may say no. */
  mayRefuse?: boolean;
}

/** The blocks of commands of a page, but for steps of a job on GitHub, which alone has what they read. */
export const shellBlocks = (page: Page): string[] =>
  fencedBlocks(page).flatMap(({ language, text }) => (language === 'sh' && !isJobStep(text) ? [text] : []));

const isJobStep = (block: string): boolean => block.includes('$ACTIONS_ID_TOKEN_REQUEST');

/**
 * Types the commands of a page in a shell that ends at the first one that fails, each block in the reader's folder. Answers what was
 * wrong: the last command with what it said, and the calls that a program would not understand which no test has.
 */
export async function faultsOf(page: Page, world: World, programs: Programs): Promise<string[]> {
  const blocks = shellBlocks(page);
  const directory = await makeScratchDirectory('page');
  const folder = join(directory, 'folder');
  const said = join(directory, 'said');
  try {
    await provideFiles(folder, page, world);
    await writeFile(said, '');
    const bin = await provideCommands(join(directory, 'bin'), { programs, mayRefuse: world.mayRefuse === true });
    const written = [world.before ?? '', ...blocks.map((block) => asReader(block, world))];
    // What was started beside the commands ends with the shell.
    const script = ["trap 'kill $! 2>/dev/null || :' EXIT", ...written.map((block) => `cd "$READER"\n${block}`)];
    const inherited = inheritedEnvironment();
    const shell = await spawnOwned('sh', ['-exc', script.join('\n')], {
      cwd: folder,
      env: {
        ...{ ...inherited, ...reader, ...world.env },
        ...{ HOME: directory, READER: folder, SAID: said, PATH: `${bin}:${inherited.PATH ?? ''}` },
      },
    });
    const { code } = await shell.exited;
    const unsaid = Object.keys(world.instead ?? {}).filter((text) => !blocks.some((block) => block.includes(text)));
    return [
      ...unsaid.map((text) => `the page does not say ${text} any more`),
      ...(code === 0 ? [] : [`ended with ${code}:\n${shell.log().slice(-6_000)}`]),
      ...callFaults(await readFile(said, 'utf8')),
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function provideFiles(folder: string, page: Page, world: World): Promise<void> {
  const { copies = {}, files = {}, startsEmpty = false } = world;
  await mkdir(folder);
  for (const [from, to] of Object.entries(copies)) {
    const filter = (path: string): boolean => !/node_modules|__pycache__/.test(path);
    await cp(join(repositoryRoot, from), join(folder, to), { recursive: true, filter });
  }
  for (const [path, text] of Object.entries({ ...(startsEmpty ? {} : Object.fromEntries(filesOf(page))), ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const asReader = (block: string, { instead = {} }: World): string =>
  Object.entries(instead).reduce((text, [said, written]) => text.replaceAll(said, written), block);

/** Whoever commits has a name. */
const reader = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((part) => [
    [`GIT_${part}_NAME`, 'Reader'],
    [`GIT_${part}_EMAIL`, 'reader@example.com'],
  ]),
);

/** Our own commands as they are shipped, and what only writes down how it is called. */
async function provideCommands(bin: string, { programs, mayRefuse }: { programs: Programs; mayRefuse: boolean }) {
  const start = (program: string, name: string) =>
    `'${process.execPath}' '${resolve(program, `../../bin/${name}.mjs`)}' "$@"`;
  const coordinator = `exec ${start(programs.coordinator, 'proofmark-coordinator')}`;
  const command = start(programs.command, 'proofmark');
  const note = String.raw`printf '%s\037' "$PWD" "$@" >> "$SAID"; printf '\036' >> "$SAID"`;
  const scripts = {
    ...Object.fromEntries(standIns.map((name) => [name, `set -- ${name} "$@"; ${note}`])),
    proofmark: mayRefuse ? `${command}; code=$?; [ $code = 1 ] && exit 0; exit $code` : `exec ${command}`,
    npx: '[ "$1" = proofmark ] || exit 127; shift; exec proofmark "$@"',
    node: `exec '${process.execPath}' "$@"`,
    // What serves, or waits for somebody to press a button, does not end: that is tried elsewhere.
    'proofmark-coordinator': `set -- proofmark-coordinator "$@"; ${note}; shift
case "$1" in '' | github-app) exit 0 ;; esac; ${coordinator}`,
    // A container of ours runs the program that it holds.
    docker: `set -- docker "$@"; ${note}
[ "$2" = run ] || exit 0
while [ "$1" != node ]; do shift; done
[ "$2" = bin/proofmark-coordinator.mjs ] || exit 127
shift 2; ${coordinator}`,
  };
  await mkdir(bin);
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

function callFaults(said: string): string[] {
  const calls = said.split('\u001e').filter((call) => call !== '');
  return calls.flatMap((call) => {
    const [folder = '', program = '', ...words] = call.split('\u001f').slice(0, -1);
    const fault = callFault({ folder, program, words });
    return fault === undefined ? [] : [`${program} ${words.join(' ')}: ${fault}`];
  });
}
