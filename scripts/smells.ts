// What linters cannot say about this code base. Prints every finding and fails; no finding, no output.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

// Another root is given by the test that tries each of them.
const root = process.argv[2] ?? join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  // A file that is deleted but not yet committed is still listed.
  .filter((path) => path !== '' && existsSync(join(root, path)));
const printed = /^action\/dist\/|\/operations\/documents\.ts$/;
const code = files.filter((path) => /\.(ts|mts|tsx)$/.test(path) && !printed.test(path));
const tests = code.filter((path) => path.endsWith('.test.ts'));
const product = code.filter((path) => !/(\.(test|fixture)\.tsx?$)|^(tests|benchmark|scripts)\//.test(path));
const decisions = code.filter((path) => /^(domain|contracts)\/src\//.test(path) && !path.endsWith('.test.ts'));
const outside = (folders: RegExp) => product.filter((path) => !folders.test(path));
const outsideTransactions = product.filter((path) => path !== 'coordinator/src/database/transactions.ts');

/** As far as it is looked at. */
interface Manifest {
  name: string;
  exports?: Record<string, string>;
}

interface Smell {
  name: string;
  paths: readonly string[];
  line: RegExp;
  /** A comment on the line or above it that gives the reason makes it acceptable. */
  unlessExplained?: boolean;
}

const smells: readonly Smell[] = [
  {
    name: 'a cast or suppression without its reason',
    paths: code,
    line: /as unknown as|\bas (any|never)\b[\s;,)\]}]*$|biome-ignore|oxlint-disable|@ts-(ignore|expect-error|nocheck)/,
    unlessExplained: true,
  },
  {
    name: 'environment read outside environment.ts',
    // Examples are programs of somebody else, and so are those whose texts an import writes.
    paths: product.filter(
      (path) =>
        !path.endsWith('/environment.ts') && !/^(examples|cli\/templates|cli\/src\/import\/bridge-files)/.test(path),
    ),
    line: /process\.env|process\[|from 'node:process'|\} = process\b/,
  },
  {
    name: 'another package imported by path',
    paths: product,
    line: /from '(\.\.\/)+(contracts|domain|process|runner-agent|coordinator|embedded|client|action|cli|tests)\/src\//,
  },
  {
    name: 'NATS outside dispatch, consume, main and what they share',
    paths: outside(
      /^(process\/src\/broker\/|coordinator\/src\/(dispatch\/|main\.ts)|runner-agent\/src\/(consume\/|main\.ts))/,
    ),
    line: /from '@nats-io\//,
  },
  {
    name: 'GitHub outside feedback, webhooks and action',
    paths: outside(/^(coordinator\/src\/(feedback|webhooks)|action)\//),
    line: /from '@octokit\//,
  },
  { name: 'a model outside runner-agent', paths: outside(/^runner-agent\//), line: /from 'openai/ },
  {
    name: 'input or output where decisions are made',
    paths: decisions,
    line: /(^|[^.\w'`])(fetch|setTimeout|setInterval|setImmediate)\(|\bprocess\.\w|\bXMLHttpRequest\b/,
  },
  {
    name: 'clock or dice where decisions are made',
    paths: decisions,
    line: /Date\.now|new Date(\(\)|;)|[^w] Date\(\)|Temporal\.Now|Math\.random|randomUUID|getRandomValues|performance\.now/,
  },
  {
    name: 'text read as markup',
    paths: code.filter((path) => path.startsWith('dashboard/')),
    line: /\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|srcdoc|setHTML\w*)\b|document\.write|\beval\(|\bnew Function\b/,
  },
  {
    name: 'a swallowed error without its reason',
    paths: product,
    line: /catch( \(\w+\))? \{ *\}|\.catch\(\(\) => (\{\}|undefined|null)\)/,
    unlessExplained: true,
  },
  { name: 'a sleeping or skipped test', paths: tests, line: /\bsleep\(|\.(skip|only|todo)\(/ },
  { name: 'a mocked module', paths: code, line: /\bvi\.mock\(/ },
  { name: 'an entity manager that bypasses inTenant and asWorker', paths: outsideTransactions, line: /\.em\.fork\(/ },
  {
    name: 'a reference to a paper that is not here: link into docs/',
    paths: code,
    line: /\b(statistics|github|Evaluation|DESIGN),? section \d|\bscenario \d+:/,
  },
  { name: 'a note without an issue number', paths: code, line: /\b(TODO|FIXME|HACK|XXX)\b(?!.*#\d)/ },
  {
    name: 'a vague name',
    paths: product,
    line: /^(export )?(async )?(class|function|const|type|interface) \w*(Manager|Helper|Util|Processor)\b/,
  },
];

/** The rooms of a package from the bottom up: a room imports those before it and no other. `.` is what lies in no room. */
const orders: Readonly<Record<string, readonly string[]>> = {
  contracts: ['identity', 'definitions', 'parse', 'results', 'messages', 'authored', 'review', 'load', 'validate'],
  domain: [
    ...[
      'text',
      'log',
      'variables',
      'matrix',
      'plan',
      'results',
      'lexical',
      'lifecycle',
      'retry',
      'schedule',
      'retention',
    ],
    ...['affected', 'statistics', 'alert', 'replay', 'verdict', 'judging', 'report', 'report-html', 'feedback', 'ab'],
  ],
  process: ['tracing', 'metrics', '.', 'environment', 'broker', 'github', 'network'],
  'runner-agent': [
    ...['retry', 'models', 'slots', 'files', 'drivers', 'permits', 'checks', 'judge', 'tools', 'case'],
    ...['metrics', 'conversation', 'run-case', 'consume', '.'],
  ],
  coordinator: [
    ...[
      'database',
      'permits',
      'feedback',
      'alerts',
      'access',
      'settings',
      'retention',
      'blobs',
      'definitions',
      'ledger',
    ],
    ...['judging', 'start', 'dispatch', 'webhooks', 'upkeep', 'graphql', 'http', '.'],
  ],
  embedded: ['.', 'definitions', 'results', 'resume', 'calibration', 'replay', 'ab', 'run'],
  client: ['operations', '.'],
  action: ['job', 'forge', 'base', 'report', 'run', '.'],
  cli: ['output', 'arguments', 'import', 'run', 'coordinator', 'replay', 'ab', 'commands', '.'],
  dashboard: ['operations', 'data', 'parts', 'views', '.'],
};

/** Names that two files export although a name has one home: an entity carries the word for what it stores. */
const sharedNames = new Set(['Chunk', 'JudgeCalibration', 'PlannedTestRun', 'TestCase', 'TestType']);

/**
 * Basenames that two files of different rooms have because they are one idea there: its rule and the deed, the file and
 * the question, the same in both ways to run. Any other name is of one file, so that whoever is told it finds it.
 */
const sharedBasenames = new Set([
  ...['environment', 'main', 'words', 'chaos', 'connect-nats', 'gate', 'retention', 'start-run-input', 'stop-early'],
  ...['broken-cases', 'case-history', 'change-suites', 'finish-suite-run', 'import-definitions', 'judge-again'],
  ...['open-comparison', 'repeat-test-run', 'run-progress', 'validate-variables', 'write-results'],
]);
/** In these a file is named for what it stores, what is typed, what is asked or what is shown: others may have that name. */
const namesakes =
  /^(coordinator\/src\/database\/entities|cli\/src\/commands|client\/src\/operations|dashboard\/src|cli\/templates)\//;

/** Doors to code of the product that only tests of other packages use: what a page or a protocol says is held against it. */
const doorsForTests = new Set([
  ...['@proofmark/coordinator/blob-links', '@proofmark/domain/further-lines', '@proofmark/domain/resolve-variables'],
  ...['@proofmark/benchmark/judges-report', '@proofmark/benchmark/measure-metrics'],
]);

// Only our own code: files of examples are named for what they teach.
const dumpingGround =
  /(^|\/)(utils?|helpers?|common|misc|lib|types|constants|interfaces)(\.ts|\/)|^[a-z-]+\/src\/index\.ts$/;
const findings = [
  ...smells.flatMap(findLines),
  ...Object.entries(orders).flatMap(findUpward),
  ...findUnmapped(),
  ...findSharedNames(),
  ...findSharedBasenames(),
  ...findIdleDoors(),
  ...findDeadPaths(),
  ...code.filter((path) => lines(path).length > 450).map((path) => `${path}: over 450 lines`),
  ...code.filter((path) => dumpingGround.test(path)).map((path) => `${path}: a dumping ground or a barrel`),
];
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.exitCode = findings.length === 0 ? 0 : 1;

function findLines({ name, paths, line, unlessExplained = false }: Smell): string[] {
  const explained = (text: string | undefined) => unlessExplained && /(^|\s)\/\/ \S/.test(text ?? '');
  return (
    paths
      // These hold the patterns themselves, and what breaks them.
      .filter((path) => path !== 'scripts/smells.ts' && path !== 'scripts/guards.test.ts')
      .flatMap((path) =>
        lines(path).flatMap((text, index, all) => {
          if (!line.test(text) || explained(text) || explained(all[index - 1])) return [];
          return [`${path}:${index + 1}: ${name}: ${text.trim()}`];
        }),
      )
  );
}

function findUpward([place, rooms]: [string, readonly string[]]): string[] {
  const source = `${place}/src`;
  const heightOf = (path: string) => rooms.indexOf(roomOf(path.slice(source.length + 1)));
  return product
    .filter((path) => path.startsWith(`${source}/`))
    .flatMap((path) => {
      const height = heightOf(path);
      if (height < 0) return [`${path}: give its room a place in the order of ${place} (scripts/smells.ts)`];
      const imported = [...readFileSync(join(root, path), 'utf8').matchAll(/(?: from|import\() ?'(\.[^']+)'/g)]
        .map(([, specifier = '']) => join(dirname(path), specifier))
        .filter((target) => target.startsWith(`${source}/`) && heightOf(target) > height);
      return imported.map((target) => `${path}: imports ${target}, which stands on it`);
    });
}

function roomOf(path: string): string {
  const [room = '', ...rest] = path.split('/');
  return rest.length === 0 ? '.' : room;
}

/** A room that the map does not name is one that a newcomer does not find. */
function findUnmapped(): string[] {
  const map = existsSync(join(root, 'ARCHITECTURE.md')) ? readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8') : null;
  if (map === null) return [];
  return Object.entries(orders).flatMap(([place, rooms]) => {
    const row = map.split('\n').find((line) => line.startsWith(`| \`${place}/\``)) ?? '';
    const missing = rooms.filter((room) => room !== '.' && !row.includes(`\`${room}\``));
    return missing.map((room) => `ARCHITECTURE.md: the row of ${place}/ does not name its room ${room}`);
  });
}

function findSharedNames(): string[] {
  const exported =
    /^export (?:declare )?(?:async )?(?:const|function\*?|class|type|interface|enum)\s+([A-Za-z_$][\w$]*)/gm;
  const homes = product.flatMap((path) =>
    [...new Set([...readFileSync(join(root, path), 'utf8').matchAll(exported)].map(([, name = '']) => name))].map(
      (name) => ({ name, path }),
    ),
  );
  return [...Map.groupBy(homes, ({ name }) => name)]
    .filter(([name, all]) => all.length > 1 && !sharedNames.has(name))
    .map(([name, all]) => `${all.map(({ path }) => path).join(', ')}: both export ${name}; one word is one thing`);
}

function findSharedBasenames(): string[] {
  const ours = product.filter((path) => /^[a-z-]+\/src\//.test(path) && !namesakes.test(path));
  return [...Map.groupBy(ours, (path) => basename(path))]
    .filter(([name, all]) => all.length > 1 && !sharedBasenames.has(name.replace(/\.tsx?$/, '')))
    .map(([name, all]) => `${all.join(', ')}: both are called ${name}; name each for its own idea`);
}

/** A door is for another package. What only tests ask for is a fixture, or stands beside its test. */
function findIdleDoors(): string[] {
  const users = code.filter((path) => !/\.(test|fixture)\.tsx?$|^tests\//.test(path));
  const asked = users.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const manifests = files.filter((path) => /^[a-z-]+\/package\.json$/.test(path));
  return manifests.flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
    const doors = Object.entries(exports).filter(([, target]) => !target.includes('.fixture.'));
    const idle = doors.map(([door]) => `${name}/${door.slice(2)}`).filter((door) => !asked.includes(`'${door}'`));
    return idle
      .filter((door) => !doorsForTests.has(door))
      .map((door) => `${path}: nobody but tests opens ${door}; close it, or lead it to a fixture`);
  });
}

/** Files that the map names and headings that comments link to, which are not there. */
function findDeadPaths(): string[] {
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].filter((path) => files.includes(path)).flatMap(namedFiles);
  const linked = code.flatMap((path) =>
    lines(path)
      .filter((text) => /^\s*(\*|\/\*\*|\/\/) /.test(text))
      .flatMap((text) => [...text.matchAll(/\bdocs\/([a-z-]+\.md)(?:#([a-z0-9-]+))?/g)])
      .filter(([, page = '', anchor]) => !hasHeading(join('docs', page), anchor))
      .map(([link]) => `${path}: ${link} leads nowhere`),
  );
  return [...named, ...linked];
}

/** `a/b.ts`, and after it names of files in the same folder: `c.ts`. */
function namedFiles(page: string): string[] {
  let folder = '';
  return [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w./-]+\.ts|[a-z-]+\/src\/[\w./-]*\/)`/g)].flatMap(
    ([, name = '']) => {
      if (name.includes('/')) folder = dirname(name);
      const path = name.includes('/') ? name : join(folder, name);
      return existsSync(join(root, path)) || name === 'environment.ts'
        ? []
        : [`${page}: names ${path}, which is not there`];
    },
  );
}

function hasHeading(page: string, anchor: string | undefined): boolean {
  if (!files.includes(page)) return false;
  if (anchor === undefined) return true;
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .trim()
      .replaceAll(' ', '-');
  return lines(page).some((text) => /^#+ /.test(text) && slug(text.replace(/^#+ /, '')) === anchor);
}

function lines(path: string): string[] {
  return readFileSync(join(root, path), 'utf8').trimEnd().split('\n');
}
