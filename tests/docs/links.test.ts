import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { published } from '../../contracts/src/identity/published-names.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { anchorsOf, linksOf, type Page, pages } from './pages.ts';

const byPath = new Map(pages.map((page) => [page.path, page]));

/** How packages, whose pages are shown elsewhere, lead to pages of the repository. */
const ownPages = `https://github.com/${published.repository}/blob/main/`;

/** Links of a page that lead nowhere. Pages of others are not asked for. */
function brokenLinks(page: Page): string[] {
  return linksOf(page).filter((link) => {
    const isOwn = link.startsWith(ownPages);
    if (!isOwn && /^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.replace(ownPages, '').split('#');
    const target = path === '' ? page.path : normalize(isOwn ? path : join(dirname(page.path), path));
    if (!existsSync(join(repositoryRoot, target))) return true;
    const other = byPath.get(target);
    return anchor !== undefined && other !== undefined && !anchorsOf(other).includes(anchor);
  });
}

test('there are pages to check', () => {
  expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/glossary.md']));
  expect(linksOf({ path: 'x.md', text: 'see [a](b.md#c) and `[no](link)`' })).toEqual(['b.md#c']);
  expect(
    brokenLinks({ path: 'docs/x.md', text: '[a](nowhere.md) [b](../README.md#nothing) [c](glossary.md)' }),
  ).toEqual(['nowhere.md', '../README.md#nothing']);
  const [right, wrong] = [`${ownPages}docs/cli.md`, `${ownPages}docs/cli.md#nothing`];
  expect(brokenLinks({ path: 'cli/x.md', text: `[a](${right}) [b](${wrong})` })).toEqual([wrong]);
});

test.each(pages.map((page) => [page.path, page] as const))('every link of %s leads somewhere', (_path, page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test('a page can be read in one go', () => {
  const lines = ({ text }: Page): number => text.trimEnd().split('\n').length;
  const most: Record<string, number> = { 'README.md': 90, 'ARCHITECTURE.md': 150 };
  for (const [path, limit] of Object.entries(most)) {
    const page = byPath.get(path);
    expect(page && lines(page), path).toBeLessThanOrEqual(limit);
  }
  const decisions = pages.filter(({ path }) => path.startsWith('docs/decisions/'));
  expect(decisions.filter((page) => lines(page) < 20 || lines(page) > 40).map(({ path }) => path)).toEqual([]);
});
