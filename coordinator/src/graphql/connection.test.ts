import { expect, test } from 'vitest';
import { PageArguments, readCursor, toPage, toPageRequest, writeCursor } from './connection.ts';

const scope = { key: Buffer.from('a key for tests'), tenantId: '0b0a', list: 'runs' };

test('a cursor gives back the position it was written for', () => {
  const position = ['2026-01-31 12:00:00.123456+00', '7f'];
  expect(readCursor(scope, writeCursor(scope, position))).toEqual(position);
});

test('a cursor of another tenant, another list, another key or another text opens nothing', () => {
  const cursor = writeCursor(scope, ['1']);
  expect(readCursor({ ...scope, tenantId: 'other' }, cursor)).toBeNull();
  expect(readCursor({ ...scope, list: 'suites' }, cursor)).toBeNull();
  expect(readCursor({ ...scope, key: Buffer.from('another') }, cursor)).toBeNull();
  for (const text of ['', 'x', 'MTIz', `${cursor}AA`]) expect(readCursor(scope, text)).toBeNull();
});

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
