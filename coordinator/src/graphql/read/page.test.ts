import { expect, test } from 'vitest';
import { PageArguments, toPage, toPageRequest } from './page.ts';

const from = () => ['k'];

test('a page is 20 rows forwards unless something else is asked for', () => {
  expect(toPageRequest({}, from)).toEqual({ size: 20, isBackwards: false, from: null });
  expect(toPageRequest({ last: 5, before: 'c' }, from)).toEqual({ size: 5, isBackwards: true, from: ['k'] });
});

test('one row more than asked for means that there is a next page', () => {
  expect(toPage({ size: 2, isBackwards: false, from: null }, [1, 2, 3])).toEqual({
    rows: [1, 2],
    hasNext: true,
    hasPrevious: false,
  });
});

test('a page that was read backwards is in the order of the list', () => {
  expect(toPage({ size: 2, isBackwards: true, from: ['9'] }, [8, 7, 6])).toEqual({
    rows: [7, 8],
    hasNext: true,
    hasPrevious: true,
  });
});

test.each([
  { first: 0 },
  { first: 101 },
  { last: -1 },
  { first: 1, last: 1 },
  { last: 1, after: 'c' },
  { before: 'c' },
])('%j is refused', (given) => {
  expect(PageArguments.safeParse(given).success).toBe(false);
});
