import { expect, test } from 'vitest';
import { linksOf, type Page, pages } from './pages.ts';

const most = 1500;
const index = pages.find(({ path }) => path === 'docs/README.md') ?? { path: '', text: '' };

/** The pages of each part of the index, in the order of the site. */
function partsOf(page: Page): Map<string, string[]> {
  const [, ...parts] = page.text.split(/^## /m);
  const titled = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    return [title, linksOf({ path: page.path, text: lines.join('\n') })] as const;
  });
  return new Map(titled);
}

const parts = partsOf(index);
const own = pages.filter(({ path }) => /^docs\/[^/]+\.md$/.test(path) && path !== index.path);
const wordsOf = ({ text }: Page): number => text.split(/\s+/).filter((word) => word !== '').length;

/** Pages that are longer than anybody reads in one go, but for those that people look something up in. */
const tooLong = (looked: readonly Page[], references: readonly string[]): string[] =>
  looked
    .filter((page) => wordsOf(page) > most && !references.includes(page.path.replace('docs/', '')))
    .map((page) => `${page.path} has ${wordsOf(page)} words`);

test('the index has five parts, and each page in one of them', () => {
  expect([...parts.keys()]).toEqual(['Start', 'Guides', 'Operate', 'Reference', 'Understand']);
  const listed = [...parts.values()].flat().filter((link) => /^[a-z-]+\.md$/.test(link));
  expect(listed.toSorted()).toEqual(own.map(({ path }) => path.replace('docs/', '')).toSorted());
});

test('a page can be read in one go, unless it is a reference', () => {
  const references = parts.get('Reference') ?? [];
  expect(tooLong(own, references)).toEqual([]);
  const long = { path: 'docs/x.md', text: 'word '.repeat(most + 1) };
  expect(tooLong([long], references)).toEqual(['docs/x.md has 1501 words']);
  expect(tooLong([long], ['x.md'])).toEqual([]);
});

test('a page begins with its title, and has only one', () => {
  const titles = (page: Page) => page.text.replaceAll(/^```[\s\S]*?^```$/gm, '').match(/^# .+$/gm) ?? [];
  expect(
    own.filter((page) => titles(page).length !== 1 || !page.text.startsWith('# ')).map(({ path }) => path),
  ).toEqual([]);
});
