// What linters cannot say about this code base. Prints every finding and fails; no finding, no output.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const code = files.filter((path) => /\.(ts|mts|tsx)$/.test(path) && !path.startsWith('action/dist/'));
const product = code.filter((path) => !/(\.test\.ts$)|^(tests|benchmark|scripts)\//.test(path));
const decisions = code.filter((path) => /^(domain|contracts)\/src\//.test(path) && !path.endsWith('.test.ts'));

interface Smell {
  name: string;
  paths: readonly string[];
  line: RegExp;
}

const smells: readonly Smell[] = [
  {
    name: 'a cast or suppression without its reason on the line',
    paths: code,
    line: /(as unknown as|as any\b|as never\b|biome-ignore|oxlint-disable|@ts-(ignore|expect-error|nocheck))(?!.*\/\/ \w)/,
  },
  {
    name: 'environment read outside environment.ts',
    paths: product.filter((path) => !path.endsWith('environment.ts')),
    line: /process\.env/,
  },
  {
    name: 'clock or dice where decisions are made',
    paths: decisions,
    line: /Date\.now|new Date\(\)|Math\.random|randomUUID|performance\.now/,
  },
  {
    name: 'a swallowed error',
    paths: product,
    line: /catch( \(\w+\))? \{ *\}|\.catch\(\(\) => (\{\}|undefined|null)\)/,
  },
  {
    name: 'a sleeping or skipped test',
    paths: code.filter((path) => path.endsWith('.test.ts')),
    line: /\bsleep\(|\.(skip|only|todo)\(/,
  },
  { name: 'a mocked module', paths: code, line: /\bvi\.mock\(/ },
  { name: 'a connection outside a transaction', paths: product, line: /\bem\.getKysely\(\)/ },
  { name: 'a note without an issue number', paths: code, line: /\b(TODO|FIXME|HACK|XXX)\b(?!.*#\d)/ },
  {
    name: 'a vague name',
    paths: product,
    line: /\b(class|function|const|type|interface) \w*(Manager|Helper|Util|Processor)\b/,
  },
];

const findings = [
  ...smells.flatMap(findLines),
  ...product.filter((path) => lines(path).length > 350).map((path) => `${path}: over 350 lines`),
  ...files
    .filter((path) =>
      /(^|\/)(utils?|helpers?|common|misc|lib|types|constants|interfaces)(\.ts|\/)|\/src\/index\.ts$/.test(path),
    )
    .map((path) => `${path}: a dumping ground or a barrel`),
];
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

function findLines({ name, paths, line }: Smell): string[] {
  // This file holds the patterns themselves.
  return paths
    .filter((path) => path !== 'scripts/smells.ts')
    .flatMap((path) =>
      lines(path).flatMap((text, index) => (line.test(text) ? [`${path}:${index + 1}: ${name}: ${text.trim()}`] : [])),
    );
}

function lines(path: string): string[] {
  return readFileSync(join(root, path), 'utf8').trimEnd().split('\n');
}
