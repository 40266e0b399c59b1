import { readFileSync } from 'node:fs';
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

/** How pages call the command: `proofmark run --preset strict`, or by its file in a clone. */
const calls = pages.flatMap((page) =>
  codeOf(page).flatMap((code) => {
    const [, command, rest = ''] =
      /^(?:\S+=\S+ )*(?:node cli\/bin\/|npx )?proofmark(?:\.mjs)? ([a-z]+)(.*)$/.exec(code) ?? [];
    return command === undefined ? [] : [{ path: page.path, command, options: rest.match(/--[a-z-]+/g) ?? [] }];
  }),
);

test('pages call only commands and options that the command line has', async () => {
  expect(calls.length).toBeGreaterThan(8);
  const loaded = commands.map(async ({ name, load }) => [name, Object.keys((await load()).options)] as const);
  const optionsOf = new Map(await Promise.all(loaded));
  expect(calls.filter(({ command }) => !optionsOf.has(command))).toEqual([]);
  const unknown = calls.flatMap(({ path, command, options }) =>
    options
      .filter((option) => !(optionsOf.get(command) ?? []).includes(option.slice(2)))
      .map((option) => `${path}: proofmark ${command} ${option}`),
  );
  expect(unknown).toEqual([]);
});

test('pages name only scripts that package.json has', () => {
  const named = pages.flatMap((page) =>
    codeOf(page).flatMap((code) => {
      const [, run, short] =
        /^(?:npm run (?:-s |--silent )?([a-z:-]+)|(?:npm|pnpm) ([a-z:]+)(?=$| -- ))/.exec(code) ?? [];
      const script = run ?? short;
      return script === undefined ? [] : [{ path: page.path, script }];
    }),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
});

test('pages install and start only packages that are published under that name', () => {
  const names: readonly string[] = Object.values(published.packages);
  const ours = pages.flatMap((page) =>
    codeOf(page).flatMap((code) => {
      const [, name] =
        /^(?:npx (?:-y )?|npm install (?:--global )?|npm i (?:-g )?)(@?[\w./-]*proofmark[\w./-]*)/.exec(code) ?? [];
      return name === undefined ? [] : [{ path: page.path, name }];
    }),
  );
  expect(ours.length).toBeGreaterThan(3);
  expect(ours.filter(({ name }) => !names.includes(name))).toEqual([]);
});
