import { expect, test } from 'vitest';
import { commitUrl, pullRequestUrl } from './forge-links.ts';

const sha = 'a'.repeat(40);

test('a commit and a pull request lead to their forge', () => {
  const place = { host: 'github.com', repository: 'acme/shop' };
  expect(commitUrl(place, sha)).toBe(`https://github.com/acme/shop/commit/${sha}`);
  expect(pullRequestUrl(place, 7)).toBe('https://github.com/acme/shop/pull/7');
  expect(pullRequestUrl({ ...place, host: '127.0.0.1:4000' }, 7)).toBe('http://127.0.0.1:4000/acme/shop/pull/7');
});

test.each([
  [{ host: 'github.com/@evil.example', repository: 'acme/shop' }],
  [{ host: 'javascript:alert(1)//', repository: 'acme/shop' }],
  [{ host: 'github.com', repository: '../../x' }],
  [{ host: 'github.com', repository: 'acme/shop?x=1' }],
  [{ host: null, repository: null }],
])('%j is no place to go to', (place) => {
  expect([commitUrl(place, sha), pullRequestUrl(place, 1)]).toEqual([null, null]);
});

test('what is no commit is not linked', () => {
  expect(commitUrl({ host: 'github.com', repository: 'acme/shop' }, '../settings')).toBeNull();
});
