import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { curesOf } from '../../cli/src/output/problem-text.ts';
import { ProblemCode } from '../../contracts/src/definitions/problem.ts';
import { ErrorKind } from '../../contracts/src/results/error-kind.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { anchorsOf } from './pages.ts';

const page = readFileSync(join(repositoryRoot, 'docs/errors.md'), 'utf8');

/** The codes of a section: what stands in the first column of its table. */
function codesOf(title: string): string[] {
  const [, section = ''] = new RegExp(`^## ${title}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => Array.from((row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g), ([, code = '']) => code));
}

/** The words that the coordinator's sources give to a `code`. */
function codesOfCoordinator(): string[] {
  const folders = ['graphql', 'http', 'access', 'start', 'blobs', 'judging'];
  const sources = globSync(`coordinator/src/{${folders.join(',')}}/**/*.ts`, {
    cwd: repositoryRoot,
    exclude: ['**/*.test.ts', '**/*.fixture.ts'],
  });
  const words = sources.flatMap((path) => {
    const text = readFileSync(join(repositoryRoot, path), 'utf8');
    return Array.from(
      text.matchAll(/(?:\bcode: |graphqlError\(|^ {2}\| )'([A-Z][A-Z_]{3,})'/gm),
      ([, code = '']) => code,
    );
  });
  return [...new Set(words)];
}

test.each([
  ['In files', ProblemCode.options],
  ['In results', ErrorKind.options],
  ['From a coordinator', codesOfCoordinator()],
])('the section "%s" has each code once with what to do, and no other', (title, codes) => {
  expect(codes.length).toBeGreaterThan(5);
  expect(codesOf(title).toSorted()).toEqual([...codes].toSorted());
});

test('every row says what to do', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  for (const row of rows) expect(row.split(' | ').at(-1)?.length, row).toBeGreaterThan(8);
});

test('a run and a look at files lead to the sections of their codes', () => {
  for (const section of ['in-files', 'in-results'] as const) {
    const [, path = '', anchor = ''] = /\/blob\/main\/(.+)#(.+)$/.exec(curesOf(section)) ?? [];
    expect(anchorsOf({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') })).toContain(anchor);
  }
});
