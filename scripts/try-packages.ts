// `npm run try-packages`: packs what a release would publish, and uses it as strangers do: in empty folders with empty homes,
// on each Node that it promises, as the user of this process and, where that is root, as an ordinary user too.
import { spawn } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** The older line that the command promises. The packages of this name hold Node as it is, and run no script. */
const olderNode = `node-${process.platform}-${process.arch}@22.23.3`;
const ordinary = { name: 'an ordinary user', uid: 65534, gid: 65534 };
/** How dear a start may be: processor time, as a multiple of what `node -e 0` takes beside it. */
const dearest = { help: 4, validate: 15 };

interface User {
  name: string;
  uid?: number;
  gid?: number;
}

interface Place {
  folder: string;
  user: User;
  /** Where the Node is that everything runs on. */
  bin: string;
}

const directory = await mkdtemp(join(tmpdir(), 'proofmark-packages-'));
let places = 0;

async function tryEverything(): Promise<void> {
  const packs = join(directory, 'packs');
  const here: Place = { folder: root, user: { name: 'here' }, bin: dirname(process.execPath) };
  await step('pack', () => run(here, [process.execPath, 'scripts/pack.ts', packs]));
  const tarballs = (await readdir(packs)).map((name) => join(packs, name));
  for (const tarball of tarballs)
    await step(`publint ${tarball.slice(packs.length + 1)}`, () => run(here, ['publint', 'run', '--strict', tarball]));
  const older = await step(olderNode, () => installOlderNode(here));

  const isRoot = process.getuid?.() === 0;
  const users: User[] = isRoot ? [{ name: 'root' }, ordinary] : [{ name: 'this user' }];
  for (const user of users) {
    const place = await beStranger(tarballs, { user, bin: here.bin });
    const demo =
      'a pull request is judged by the packed coordinator and runners, and the page opens by the link of the demo';
    await step(`${demo} (${user.name})`, () =>
      run(here, [process.execPath, 'tests/demo/try-kept-main.ts', ...servicesOf(place)]),
    );
    const onOlder = await beStranger(tarballs, { user, bin: older });
    await step(`coordinator and runner say that they need another Node (${user.name})`, () => refuseOlder(onOlder));
  }
  const place = await makePlace({ user: here.user, bin: here.bin });
  await install(place, tarballs);
  await step('a stranger comes from an empty repository to a red check, as the first page says', () =>
    run(here, [process.execPath, 'tests/walk/main.ts', '--packages', place.folder]),
  );
  await step('every template of init is written, and valid', () => tryTemplates(place));
  await step('a start costs what it may', () => measureStart(place));
  await step('100,000 rows of CSV are validated in the time and memory that they may take', () =>
    run(here, [process.execPath, 'benchmark/embedded/rows-main.ts', '--validate', programOf(place)]),
  );
}

/** The services that are installed in a place, as its user starts them. */
const servicesOf = ({ folder, bin, user: { uid } }: Place): string[] => [
  ...['--packages', folder, '--node', join(bin, 'node')],
  ...(uid === undefined ? [] : ['--user', String(uid)]),
];

/** Everything that a stranger does with the command and the client, from an empty folder on. */
async function beStranger(tarballs: readonly string[], who: Pick<Place, 'user' | 'bin'>): Promise<Place> {
  const place = await makePlace(who);
  const version = (await run(place, ['node', '--version'])).trim();
  const told = (what: string) => `${what} (Node ${version}, ${who.user.name})`;
  await step(told('npm install'), () => install(place, tarballs));
  for (const words of [['init'], ['validate'], ['run'], ['run', '--format', 'html', '--output', 'report.html']])
    await step(told(`npx proofmark ${words.join(' ')}`), () =>
      run(place, ['npx', '--no-install', 'proofmark', ...words]),
    );
  await writeFiles(place, ownCode);
  await step(told('an agent and a check in code, and a document of a case'), () =>
    run(place, ['npx', '--no-install', 'proofmark', 'run', 'evals/code.suite.yaml']),
  );
  await step(told('the client'), () => run(place, ['node', 'client.mjs']));
  await step(told('the types of the client'), () =>
    run({ ...place, bin: dirname(process.execPath) }, [
      'node',
      join(root, 'node_modules/typescript/bin/tsc'),
      ...typed,
    ]),
  );
  return place;
}

/** The services are promised for one line of Node, which their images bring. */
async function refuseOlder(place: Place): Promise<void> {
  for (const name of ['proofmark-coordinator', 'proofmark-runner']) {
    const told = await run(place, ['npx', '--no-install', name]).catch((error: unknown) => String(error));
    if (!told.includes(`${name} needs Node 24`))
      throw new Error(`${name} should name the Node that it needs:\n${told}`);
  }
}

const typed = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', '', 'client-types.ts'];

/** What the bundle starts as files of their own: a process for code, and one for documents. */
const ownCode: Readonly<Record<string, string>> = {
  'agents/desk.mjs': "export default ({ input }) => 'You asked: '.concat(input);\n",
  'checks/polite.mjs': "export default (output) => ({ pass: output.startsWith('You asked'), score: 1 });\n",
  'docs/prices.csv': 'thing,price\nlamp,17\n',
  'evals/code.suite.yaml': `name: Code
agent: { name: Desk, driver: { type: module, file: agents/desk.mjs } }
cases:
  - name: Price
    input: What is the price of a lamp?
    files: [{ path: docs/prices.csv, type: csv }]
    expected_behavior:
      checks:
        - { type: contains_phrases, phrases: [lamp] }
        - { type: code, file: checks/polite.mjs }
`,
  'client.mjs': `import { coordinatorClient } from '@proofmark/client';
const retry = { forMs: 0, now: Date.now, random: Math.random, pause: async () => undefined };
const client = coordinatorClient({ url: 'http://127.0.0.1:9', bearer: async () => ({ ok: true, answer: 'pmk_x' }), retry });
const viewer = await client.viewer();
if (viewer.ok || viewer.error.code !== 'UNREACHABLE') throw new Error(JSON.stringify(viewer));
`,
  'client-types.ts': `import { coordinatorClient, type RunResult, type Sent } from '@proofmark/client';
import { RunResultDocument } from '@proofmark/client/documents';
const client = coordinatorClient({ url: 'http://127.0.0.1:9', bearer: async () => ({ ok: true, answer: 'pmk_x' }) });
export const result: Promise<Sent<RunResult | null>> = client.runResult('x');
export const words: string = RunResultDocument.text;
// @ts-expect-error a run is named by text
export const wrong = client.runResult(1);
`,
};

const programOf = ({ folder }: Place): string => join(folder, 'node_modules/proofmark/bin/proofmark.mjs');

async function install(place: Place, tarballs: readonly string[]): Promise<void> {
  await run(place, ['npm', 'install', '--no-audit', '--no-fund', ...tarballs]);
}

async function installOlderNode(here: Place): Promise<string> {
  const folder = join(directory, 'older-node');
  await mkdir(folder);
  await run({ ...here, folder }, ['npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, olderNode]);
  return join(folder, 'node_modules', olderNode.split('@')[0] ?? '', 'bin');
}

/** An empty folder and an empty home, both of the user. */
async function makePlace({ user, bin }: Pick<Place, 'user' | 'bin'>): Promise<Place> {
  places += 1;
  const base = join(directory, `place-${places}`);
  const folder = join(base, 'app');
  for (const path of [base, folder, join(base, 'home')]) {
    await mkdir(path);
    if (user.uid !== undefined) await chown(path, user.uid, user.gid ?? user.uid);
  }
  // Who may not look into the clone of somebody else has its Node nevertheless.
  if (user.uid === undefined) return { folder, user, bin };
  const own = join(base, 'bin');
  await mkdir(own);
  await copyFile(join(bin, 'node'), join(own, 'node'));
  return { folder, user, bin: own };
}

async function writeFiles({ folder, user }: Place, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
    if (user.uid !== undefined) await chown(target, user.uid, user.gid ?? user.uid);
  }
}

/** Runs a command with nothing in its environment but the Node, a home and how the registry is reached. Throws with its output. */
async function run({ folder, user, bin }: Place, command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const isHere = folder === root;
  const kept = [
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'HTTPS_PROXY',
    'npm_config_registry',
    ...(isHere ? ['HOME'] : []),
  ];
  const told = Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const path = [bin, ...(isHere ? [join(root, 'node_modules/.bin')] : []), process.env.PATH].join(':');
  const child = spawn(program, args, {
    cwd: folder,
    env: { HOME: join(dirname(folder), 'home'), ...told, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user.uid === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(signal ?? exit));
  });
  const output = Buffer.concat(chunks).toString();
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${String(code)}:\n${output}`);
  return output;
}

async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  try {
    const result = await work();
    process.stdout.write(`ok   ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
    return result;
  } catch (error) {
    process.stdout.write(`FAIL ${name}\n`);
    throw error;
  }
}

async function tryTemplates(place: Place): Promise<void> {
  const help = await run(place, ['node', programOf(place), 'init', '--help']);
  const names = /--from ([\w|-]+)\]/.exec(help)?.[1]?.split('|') ?? [];
  if (names.length < 2) throw new Error(`The help of init names no templates:\n${help}`);
  for (const name of names) {
    const own = { ...place, folder: join(place.folder, `from-${name}`) };
    await mkdir(own.folder);
    for (const words of [['init', '--from', name], ['validate']]) await run(own, ['node', programOf(place), ...words]);
    await rm(own.folder, { recursive: true });
  }
}

/** What the help and a look at 20 suites take of the processor, beside a Node that does nothing. */
async function measureStart(place: Place): Promise<void> {
  await run(place, ['npx', '--no-install', 'proofmark', 'init']);
  const suite = await readFile(join(place.folder, 'evals/support.suite.yaml'), 'utf8');
  const names = Array.from({ length: 19 }, (_, index) => `Support ${index + 2}`);
  await writeFiles(
    place,
    Object.fromEntries(
      names.map((name, index) => [`evals/${index}.suite.yaml`, suite.replace(/^name: .*$/m, `name: ${name}`)]),
    ),
  );
  const command = programOf(place);
  const samples: { bare: number; help: number; validate: number }[] = [];
  for (let round = 0; round < 5; round += 1) {
    samples.push({
      bare: await processorMs(place, ['-e', '0']),
      help: await processorMs(place, [command, '--help']),
      validate: await processorMs(place, [command, 'validate']),
    });
  }
  const middle = (name: 'bare' | 'help' | 'validate'): number =>
    samples.map((sample) => sample[name]).toSorted((a, b) => a - b)[2] ?? 0;
  for (const name of ['help', 'validate'] as const) {
    const ratio = middle(name) / middle('bare');
    process.stdout.write(
      `     ${name}: ${middle(name).toFixed(0)} ms of the processor, ${ratio.toFixed(1)} times those of node -e 0 (${middle('bare').toFixed(0)} ms)\n`,
    );
    if (ratio > dearest[name]) throw new Error(`${name} may take ${dearest[name]} times what a bare Node takes`);
  }
}

/** The processor time of one start, as the shell tells it of its children. The mean of five. */
async function processorMs(place: Place, args: readonly string[]): Promise<number> {
  const loop = 'for i in 1 2 3 4 5; do "$@" >/dev/null || exit 1; done; times';
  const output = await run(place, ['sh', '-c', loop, 'sh', join(place.bin, 'node'), ...args]);
  const ofChildren = output.trim().split('\n').at(-1) ?? '';
  const ms = Array.from(
    ofChildren.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, seconds]) => 1000 * (60 * Number(minutes) + Number(seconds)),
  );
  return ms.reduce((sum, one) => sum + one, 0) / 5;
}

await chmod(directory, 0o755);
try {
  await tryEverything();
} catch (error) {
  process.stdout.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
