// What linters cannot say about this code base. Prints every finding and fails; no finding, no output.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Another root is given by the test that tries each of them.
const root = process.argv[2] ?? join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  // A file that is deleted but not yet committed is still listed.
  .filter((path) => path !== '' && existsSync(join(root, path)));
const code = files.filter((path) => /\.(ts|mts|tsx)$/.test(path) && !path.startsWith('action/dist/'));
const tests = code.filter((path) => path.endsWith('.test.ts'));
const product = code.filter((path) => !/(\.(test|fixture)\.ts$)|^(tests|benchmark|scripts)\//.test(path));
const decisions = code.filter((path) => /^(domain|contracts)\/src\//.test(path) && !path.endsWith('.test.ts'));
const outside = (folders: RegExp) => product.filter((path) => !folders.test(path));
const outsideConnect = product.filter((path) => path !== 'coordinator/src/database/connect.ts');

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
    paths: product.filter((path) => !path.endsWith('/environment.ts')),
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
    name: 'GitHub outside feedback and action',
    paths: outside(/^(coordinator\/src\/feedback|action)\//),
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
  { name: 'an entity manager that bypasses inTenant and asWorker', paths: outsideConnect, line: /\.em\.fork\(/ },
  { name: 'a note without an issue number', paths: code, line: /\b(TODO|FIXME|HACK|XXX)\b(?!.*#\d)/ },
  {
    name: 'a vague name',
    paths: product,
    line: /^(export )?(async )?(class|function|const|type|interface) \w*(Manager|Helper|Util|Processor)\b/,
  },
];

/** The rooms of a package from the bottom up: a room imports those before it and no other. */
const orders: Readonly<Record<string, readonly string[]>> = {
  // Not yet in it: `runs` and `feedback`, which lead to each other.
  'coordinator/src': [
    ...['database', 'log', 'permits', 'access', 'settings', 'retention', 'blobs', 'definitions', 'dispatch', 'upkeep'],
    ...['graphql', 'http'],
  ],
  'contracts/src': [
    ...['identity', 'definitions', 'parse', 'results', 'messages'],
    ...['authored', 'review', 'load', 'validate'],
  ],
  'runner-agent/src': [
    ...['retry', 'models', 'slots', 'files', 'drivers', 'permits', 'checks', 'judge', 'tools', 'case'],
    ...['metrics', 'conversation', 'run-case', 'consume'],
  ],
};

// Only our own code: files of examples are named for what they teach.
const dumpingGround =
  /(^|\/)(utils?|helpers?|common|misc|lib|types|constants|interfaces)(\.ts|\/)|^[a-z-]+\/src\/index\.ts$/;
const findings = [
  ...smells.flatMap(findLines),
  ...Object.entries(orders).flatMap(findUpward),
  ...code.filter((path) => lines(path).length > 450).map((path) => `${path}: over 450 lines`),
  ...code.filter((path) => dumpingGround.test(path)).map((path) => `${path}: a dumping ground or a barrel`),
];
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.exitCode = findings.length === 0 ? 0 : 1;

function findLines({ name, paths, line, unlessExplained = false }: Smell): string[] {
  const explained = (text: string | undefined) => unlessExplained && /(^|\s)\/\/ \S/.test(text ?? '');
  return paths
    .filter((path) => path !== 'scripts/smells.ts') // It holds the patterns themselves.
    .flatMap((path) =>
      lines(path).flatMap((text, index, all) => {
        if (!line.test(text) || explained(text) || explained(all[index - 1])) return [];
        return [`${path}:${index + 1}: ${name}: ${text.trim()}`];
      }),
    );
}

function findUpward([place, rooms]: [string, readonly string[]]): string[] {
  return rooms.flatMap((room, height) =>
    product
      .filter((path) => path.startsWith(`${place}/${room}/`))
      .flatMap((path) => {
        const above = [...readFileSync(join(root, path), 'utf8').matchAll(/ from '(?:\.\.\/)+([a-z-]+)\//g)]
          .map(([, imported = '']) => imported)
          .filter((imported) => rooms.indexOf(imported) > height);
        return above.map((imported) => `${path}: ${room} imports ${imported}, which stands on it`);
      }),
  );
}

function lines(path: string): string[] {
  return readFileSync(join(root, path), 'utf8').trimEnd().split('\n');
}
