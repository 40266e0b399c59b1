import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { commands } from '../../cli/src/commands/run-command-line.ts';
import { published } from '../../contracts/src/identity/published-names.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { fencedBlocks, type Page, pages } from './pages.ts';

const { scripts } = z
  .looseObject({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')));

/** What stands in code on a page: commands of shell blocks and of code in the text, one each. */
function codeOf(page: Page): string[] {
  const shell = fencedBlocks(page).flatMap(({ language, text }) => (language === 'sh' ? text.split('\n') : []));
  const inline = Array.from(
    page.text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g),
    ([, code = '']) => code,
  );
  return [...shell, ...inline].flatMap((line) => line.replace(/\s#.*$/, '').split(/&&|\|/)).map((part) => part.trim());
}

/** A page with one of each fault that is looked for. */
const planted: Page = {
  path: 'x.md',
  text: '```sh\nproofmark rum\nnpx proofmark run --presett strict\nnpm run demoo\nnpm install proofmark-cordinator\n```\n',
};

/** How pages call the command: `proofmark run --preset strict`, or by its file in a clone. */
const callsOf = (page: Page) =>
  codeOf(page).flatMap((code) => {
    const [, command, rest = ''] =
      /^(?:\S+=\S+ )*(?:node cli\/bin\/|npx )?proofmark(?:\.mjs)? ([a-z]+)(.*)$/.exec(code) ?? [];
    return command === undefined ? [] : [{ path: page.path, command, options: rest.match(/--[a-z-]+/g) ?? [] }];
  });

test('pages call only commands and options that the command line has', async () => {
  const loaded = commands.map(async ({ name, load }) => [name, Object.keys((await load()).options)] as const);
  const optionsOf = new Map(await Promise.all(loaded));
  const unknownIn = (page: Page) =>
    callsOf(page).flatMap(({ path, command, options }) => {
      const known = optionsOf.get(command);
      if (known === undefined) return [`${path}: proofmark ${command}`];
      const unknown = options.filter((option) => !known.includes(option.slice(2)));
      return unknown.map((option) => `${path}: proofmark ${command} ${option}`);
    });
  expect(pages.flatMap(callsOf).length).toBeGreaterThan(8);
  expect(pages.flatMap(unknownIn)).toEqual([]);
  expect(unknownIn(planted)).toEqual(['x.md: proofmark rum', 'x.md: proofmark run --presett']);
});

/** What a pattern finds in the commands of a page. */
const namedIn = (page: Page, pattern: RegExp) =>
  codeOf(page).flatMap((code) => {
    const name = pattern
      .exec(code)
      ?.slice(1)
      .find((group) => group !== undefined);
    return name === undefined ? [] : [`${page.path}: ${name}`];
  });
const nameOf = (named: string): string => named.split(': ')[1] ?? '';

test('pages name only scripts that package.json has', () => {
  const pattern = /^(?:npm run (?:-s |--silent )?([a-z:-]+)|(?:npm|pnpm) ([a-z:]+)(?=$| -- ))/;
  const unknownIn = (page: Page) => namedIn(page, pattern).filter((named) => !Object.hasOwn(scripts, nameOf(named)));
  expect(pages.flatMap((page) => namedIn(page, pattern)).length).toBeGreaterThan(5);
  expect(pages.flatMap(unknownIn)).toEqual([]);
  expect(unknownIn(planted)).toEqual(['x.md: demoo']);
});

test('pages install and start only packages that are published under that name', () => {
  const names: readonly string[] = Object.values(published.packages);
  const pattern = /^(?:npx (?:-y )?|npm install (?:--global )?|npm i (?:-g )?)(@?[\w./-]*proofmark[\w./-]*)/;
  const unknownIn = (page: Page) => namedIn(page, pattern).filter((named) => !names.includes(nameOf(named)));
  expect(pages.flatMap((page) => namedIn(page, pattern)).length).toBeGreaterThan(3);
  expect(pages.flatMap(unknownIn)).toEqual([]);
  expect(unknownIn(planted)).toEqual(['x.md: proofmark-cordinator']);
});

/** Source without its comments: a name in them is read by nothing. */
const codeIn = (source: string): string => source.replaceAll(/^[ \t]*(?:\/\/|\/?\*).*$|[ \t]\/\/ .*$/gm, '');

test('pages name only variables of Proofmark that something reads', () => {
  const files = globSync(
    '{action,cli,client,coordinator,contracts,embedded,process,runner-agent,tests/stack}/{src/**/*.ts,*.ts}',
    {
      cwd: repositoryRoot,
    },
  );
  const sources = files.filter((path) => !path.endsWith('.test.ts'));
  const read = new Set(
    sources.flatMap(
      (path) => codeIn(readFileSync(join(repositoryRoot, path), 'utf8')).match(/\bPROOFMARK_[A-Z0-9_]+/g) ?? [],
    ),
  );
  // A secret of the reader's own. Any other may stand in a file, which the same name with _FILE names.
  read.add('PROOFMARK_ADMIN_TOKEN');
  const unknownIn = ({ path, text }: Page) =>
    [...new Set(text.match(/\bPROOFMARK_[A-Z0-9_]*[A-Z0-9]\b/g))]
      .filter((name) => !read.has(name) && !read.has(name.replace(/_FILE$/, '')))
      .map((name) => `${path}: ${name}`);
  expect(pages.flatMap(unknownIn)).toEqual([]);
  expect(codeIn('/** PROOFMARK_A */\n// PROOFMARK_B\nread(); // PROOFMARK_C\nreadFile(PROOFMARK_D);')).toBe(
    '\n\nread();\nreadFile(PROOFMARK_D);',
  );
  expect(unknownIn({ path: 'x.md', text: 'Set `PROOFMARK_SLOT=8`.' })).toEqual(['x.md: PROOFMARK_SLOT']);
});
